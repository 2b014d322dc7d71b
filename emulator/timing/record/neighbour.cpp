#include "emulator/timing/record/neighbour.hpp"

#include "emulator/rates/latencies.hpp"

#include <algorithm>
#include <iterator>

namespace fmha950::timing {
namespace {

std::vector<uint64_t> lines_of(const WorkgroupRecord& workgroup) {
  std::vector<uint64_t> lines;
  for_each_vector_line(workgroup, [&](uint64_t line) { lines.push_back(line); });
  std::ranges::sort(lines);
  lines.erase(std::ranges::unique(lines).begin(), lines.end());
  return lines;
}

} // namespace

std::optional<uint64_t> neighbour_of(uint64_t workgroup, uint64_t grid_workgroups) {
  constexpr uint64_t cus = chiplets * cus_per_chiplet;
  if (workgroup + cus < grid_workgroups) return workgroup + cus;
  if (workgroup >= cus) return workgroup - cus;
  return {};
}

std::vector<uint32_t> with_neighbours(const std::vector<uint32_t>& workgroups, uint64_t grid_workgroups) {
  std::vector<uint32_t> all = workgroups;
  for (const uint32_t workgroup : workgroups)
    if (const auto neighbour = neighbour_of(workgroup, grid_workgroups))
      all.push_back(static_cast<uint32_t>(*neighbour));
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  return all;
}

std::vector<uint64_t> lines_of_both(const WorkgroupRecord& one, const WorkgroupRecord& other) {
  std::vector<uint64_t> both;
  std::ranges::set_intersection(lines_of(one), lines_of(other), std::back_inserter(both));
  return both;
}

WorkgroupRecord copy_beside(const WorkgroupRecord& original, uint64_t number) {
  WorkgroupRecord copy = original;
  for_each_vector_line(copy, [&](uint64_t& line) {
    if (!std::ranges::binary_search(*original.shared, line)) line |= number << copy_shift;
  });
  return copy;
}

} // namespace fmha950::timing
