// Parts of the keys, each computed by a workgroup of its own, that are joined with a wrong weight.
#include "harness/sabotage/defect.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace fmha950::harness {

std::vector<Defect> wrong_parts(const SabotagedCase& of) {
  std::vector<Defect> defects;
  using Tile = std::pair<int, int>; // a part's keys: rows of one tile share them
  std::map<Tile, std::vector<PartialWeight>> by_keys;
  const std::vector<PartialWeight> weights = of.plan.partial_weights(of.rows);
  if (weights.empty()) return defects;
  for (const PartialWeight& weight : weights)
    if (weight.tile == weights.back().tile) by_keys[{weight.first_key, weight.last_key}].push_back(weight);
  if (by_keys.size() < 2) return defects;
  const auto first = by_keys.begin(), last = std::prev(by_keys.end());
  for (const auto& [part, other] : {std::pair(first, last), std::pair(last, first)}) {
    const std::string place =
        fmt::format("keys {}-{} of tile {}", part->first.first, part->first.second - 1, weights.back().tile);
    defects.push_back({.kind = "part_left_out", .place = place, .parts = {part->second, {}, 0}});
    defects.push_back({.kind = "part_counted_twice", .place = place, .parts = {part->second, {}, 2}});
    if (part->second.size() == other->second.size())
      defects.push_back(
          {.kind = "part_with_wrong_lse", .place = place, .parts = {part->second, other->second, 1}});
  }
  return defects;
}

} // namespace fmha950::harness
