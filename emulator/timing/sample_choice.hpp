#pragma once
// Which workgroups of a launch stand for all of it: one at random of each of as many equal parts, never at equal distances.
// Grids repeat themselves by heads, blocks of queries and chiplets, and equal distances can meet the same of each. Random as
// hashes are: the same in every run. Here and not in a source file because the harness has no library of the emulator's.

#include "emulator/machine/schedule.hpp"
#include "emulator/rates/latencies.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace fmha950::timing {

inline constexpr size_t fewest_samples = 5; // of a launch, unless fewer are asked for

inline uint64_t hash(uint64_t value) { return machine::Random(value).next(); }

// Part `part` of `parts` of `places`, and a place in it.
inline uint64_t place_in_part(uint64_t part, uint64_t parts, uint64_t places) {
  const uint64_t begin = part * places / parts, end = (part + 1) * places / parts;
  return begin + hash(hash(parts) + part) % (end - begin);
}

// Of a grid of which no work is known, `count` or all; ascending.
inline std::vector<uint32_t> choose_samples(uint64_t workgroups, size_t count) {
  std::vector<uint32_t> chosen;
  const uint64_t parts = std::min<uint64_t>(count, workgroups);
  for (uint64_t part = 0; part < parts; ++part)
    chosen.push_back(static_cast<uint32_t>(place_in_part(part, parts, workgroups)));
  return chosen;
}

// The first `count` workgroups of chiplet 0, or all of it.
inline std::vector<uint32_t> first_of_a_chiplet(uint64_t workgroups, uint64_t count) {
  std::vector<uint32_t> chosen;
  for (uint64_t id = 0; id < workgroups && chosen.size() < count; id += chiplets)
    chosen.push_back(static_cast<uint32_t>(id));
  return chosen;
}

// Of `workgroups`, which ascend; so do the chosen. `work` is that of each workgroup of the grid. Where it is known, parts are by
// work, and the most and the least are among the chosen: the longest decide when a launch ends, and beyond the ends nothing is
// known. Else parts are by ids.
inline std::vector<uint32_t> choose_samples(std::vector<uint32_t> workgroups,
                                            const std::vector<uint32_t>& work, size_t count) {
  if (workgroups.size() <= count) return workgroups;
  if (!work.empty()) // the most first, those of equal work in no order
    std::ranges::sort(workgroups, {}, [&](uint32_t id) { return std::pair(~work[id], hash(id)); });
  std::vector<uint32_t> chosen;
  for (const uint32_t place : choose_samples(workgroups.size(), count)) chosen.push_back(workgroups[place]);
  if (!work.empty()) {
    chosen.back() = workgroups.back();
    chosen.front() = workgroups.front(); // of a single sample the most
  }
  std::ranges::sort(chosen);
  return chosen;
}

} // namespace fmha950::timing
