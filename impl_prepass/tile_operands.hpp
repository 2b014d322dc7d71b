#pragma once
// A tile's keys, values and descales from LDS to the registers in which the products take them.

#include "attention/key_mask.hpp"
#include "gfx950/lds.hpp"
#include "gfx950/mfma.hpp"
#include "gfx950/unroll.hpp"
#include "impl_prepass/kernel_arguments.hpp"
#include "impl_prepass/tile_layout.hpp"

namespace fmha950::prepass {

using namespace gfx950;

constexpr int key_blocks = keys_per_tile / 32; // of 32 rows of S^T
constexpr int key_steps = keys_per_tile / 16;  // of the second product
constexpr int column_blocks = head_dim / 32;   // of 32 rows of O^T
constexpr int column_steps = head_dim / 16;    // of the first product

// A operand of S^T: lane l holds row l % 32 of each block,
// item t of a step is column 16 step + 8 (l / 32) + t.
template <class Operand>
FMHA950_INLINE void read_keys(Operand (&keys)[key_blocks][column_steps], uint32_t tile) {
  const uint32_t even = tile + TileLayout::offset(lane_id() % 32, lane_id() / 32);
  const uint32_t odd = tile + TileLayout::offset(lane_id() % 32, lane_id() / 32 + 2);
  unrolled<key_blocks>([&](auto block) {
    unrolled<column_steps>([&](auto step) {
      read_lds<TileLayout::offset(32 * block, step / 2 * 4)>(keys[block][step], step % 2 == 0 ? even : odd);
    });
  });
}

// A operand of one step of O^T, for each block of columns in two halves; read transposed: lane l holds column
// l % 32 of each block, and of a step's 16 keys those that D of S^T left to this half of the wave: item t is
// key 8 (t / 4) + 4 (l / 32) + t % 4.
using ValueHalves = Word2[column_blocks][2];
template <int Step> FMHA950_INLINE void read_values(ValueHalves& values, uint32_t tile) {
  const uint32_t lane = lane_id();
  const uint32_t row = lane / 32 * 4 + lane % 16 / 4;
  const uint32_t column = lane / 16 % 2 * 16 + lane % 4 * 4;
  unrolled<2>([&](auto half) {
    const uint32_t address = tile + column % 8 * 2 + TileLayout::offset(row + 8 * half, column / 8);
    unrolled<column_blocks>([&](auto block) {
      read_lds_transposed<TileLayout::offset(16 * Step, 4 * block)>(values[block][half], address);
    });
  });
}

// Descales of the keys of one block of this lane's scores, four by four.
template <int Block> FMHA950_INLINE void read_descales(Float4 (&descales)[4], uint32_t begin) {
  const uint32_t address = begin + lane_id() / 32 * 16;
  unrolled<4>([&](auto quad) { read_lds<attention::key_of(Block, 4 * quad) * 4>(descales[quad], address); });
}

} // namespace fmha950::prepass
