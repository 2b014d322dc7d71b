#pragma once
// Ids in the padding of page tables and row lists.

#include <array>
#include <cstdint>
#include <limits>

namespace fmha950::workload {

// An id that nothing of `count` pages or rows has: negative, just past the end, or far past it, in turn.
inline int32_t out_of_range(int64_t count, size_t position) {
  const std::array<int32_t, 3> ids{-1, static_cast<int32_t>(count), std::numeric_limits<int32_t>::max()};
  return ids[position % ids.size()];
}

} // namespace fmha950::workload
