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

template <class Layout, int BLOCK, int STEP, class Operand>
FMHA950_INLINE void read_keys_of(Operand& keys, uint32_t tile) {
  const uint32_t address = tile + Layout::offset(lane_id() % 32, lane_id() / 32 + STEP % 2 * 2);
  read_lds<Layout::offset(32 * BLOCK, STEP / 2 * 4)>(keys, address);
}

// A operand of S^T: lane l holds row l % 32 of block BLOCK, item t of a step is column 16 step + 8 (l / 32) + t. Steps from
// FIRST on, of a tile in TileLayout or, behind its columns, in NarrowTileLayout.
template <int BLOCK, int FIRST, class Operand, int Steps>
FMHA950_INLINE void read_keys(Operand (&keys)[Steps], uint32_t tile) {
  constexpr int steps_of_tile = head_dim / 16;
  const uint32_t narrow_tile = tile + TileLayout::bytes;
  unrolled<Steps>([&](auto i) {
    constexpr int step = FIRST + i;
    if constexpr (step < steps_of_tile)
      read_keys_of<TileLayout, BLOCK, step>(keys[i], tile);
    else
      read_keys_of<NarrowTileLayout, BLOCK, step - steps_of_tile>(keys[i], narrow_tile);
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
