#include "harness/cure/price.hpp"

#include <algorithm>

namespace fmha950::harness::cure {
namespace {

auto barriers_in(const std::vector<Protection>& protections) {
  return std::ranges::count_if(protections, &Protection::barrier);
}

// Of the barrier that most branches lead past.
int branches_of(const std::vector<Protection>& protections) {
  int branches = 0;
  for (const Protection& protection : protections)
    if (protection.barrier) branches = std::max(branches, protection.branches);
  return branches;
}

} // namespace

double least_gain(const Price& price, const std::vector<Protection>& kept,
                  const std::vector<Protection>& other) {
  const bool is_more = barriers_in(other) > barriers_in(kept) || branches_of(other) > branches_of(kept);
  return is_more ? price.gain_for_barrier : price.nothing;
}

} // namespace fmha950::harness::cure
