#pragma once
// Which workgroups of a grid stand for all of it.

#include <cstdint>
#include <vector>

namespace fmha950::harness {

// The first, the last and as many at equal distances between: workgroups are dispatched in this order, and
// neighbours have nearly the same work.
inline std::vector<uint32_t> spread(const std::vector<uint32_t>& workgroups, size_t count) {
  if (workgroups.size() <= count) return workgroups;
  std::vector<uint32_t> chosen;
  for (size_t i = 0; i < count; ++i)
    chosen.push_back(workgroups[count == 1 ? 0 : i * (workgroups.size() - 1) / (count - 1)]);
  return chosen;
}

inline constexpr size_t fewest_samples = 5; // of a launch, unless fewer are asked for

} // namespace fmha950::harness
