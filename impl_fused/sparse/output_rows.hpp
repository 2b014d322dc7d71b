#pragma once
// Results on their way out: in a block of 16 rows of O^T a lane has rows 4 (l / 16) to 4 (l / 16) + 3, four
// neighbouring columns of the output of its head.

#include "gfx950/convert.hpp"
#include "gfx950/mfma.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_fused/sparse/variant.hpp"

namespace fmha950::fused::sparse {

// Rows of the output go through LDS, so that a store is a whole row and touches eight lines, not sixteen
// rows: chunk c (16 bytes) of row i has place c ^ i % 16 in it.
struct OutputRows {
  static constexpr uint32_t row_bytes = head_dim * 2;
  static constexpr uint32_t place(uint32_t row, uint32_t chunk) {
    return row * row_bytes + (chunk ^ row % 16) * 16;
  }
};

// Where the lane's head has `column`. `rows`: LDS address of the row of a block's first head.
FMHA950_INLINE uint32_t output_place(uint32_t rows, uint32_t column) {
  return rows + OutputRows::place(lane_id() % heads_per_block, column / 8) + column % 8 * 2;
}

FMHA950_INLINE void write_output(uint32_t address, bf16 value) {
  asm volatile("ds_write_b16 %0, %1" : : "v"(address), "v"(uint32_t(bits_as<uint16_t>(value))) : "memory");
}

// `block`: the block's first column.
FMHA950_INLINE void write_quad(uint32_t rows, uint32_t block, Float4 values) {
  const auto low = round_pair<bf16>(Float2{values[0], values[1]});
  const auto high = round_pair<bf16>(Float2{values[2], values[3]});
  write_lds<0>(output_place(rows, block + lane_id() / 16 * 4),
               Word2{bits_as<uint32_t>(low), bits_as<uint32_t>(high)});
}

} // namespace fmha950::fused::sparse
