#pragma once
// Where a row of a pool or a chunk begins. 64 bits: pools may exceed 4 GiB.

#include "gfx950/kernel.hpp"
#include "gfx950/mutant.hpp"

namespace fmha950::attention::sparse {

using namespace gfx950;

template <class Byte>
FMHA950_INLINE const Byte* row_address(const Byte* rows, uint32_t row, uint32_t row_bytes) {
  const uint64_t bytes = uint64_t(row) * row_bytes;
  const uint64_t offset = protection("row_offset_32_bits") ? bytes : static_cast<uint32_t>(bytes);
  if constexpr (protection("row_base_carry")) return rows + offset;
  const auto base = reinterpret_cast<uint64_t>(rows);
  const uint32_t low = static_cast<uint32_t>(base) + static_cast<uint32_t>(offset);
  return reinterpret_cast<const Byte*>(((base >> 32) + (offset >> 32)) << 32 | low);
}

} // namespace fmha950::attention::sparse
