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

// A operand of one step of O^T, for each block of columns in two halves; read transposed: lane l holds column
// l % 32 of each block, and of a step's 16 keys those that D of S^T left to this half of the wave: item t is
// key 8 (t / 4) + 4 (l / 32) + t % 4.
using ValueHalves = Word2[column_blocks][2];

// Reads of tiles of K, with rows of KeyDim columns, and V. Where a lane reads is worked out once and kept: clang would add
// it up anew for every tile.
template <int KeyDim> class TileReader {
 public:
  FMHA950_INLINE explicit TileReader(uint32_t lds) {
    const uint32_t lane = lane_id();
    for (uint32_t odd = 0; odd < 2; ++odd) {
      key_[odd] = lds + TileLayout::offset(lane % 32, lane / 32 + 2 * odd);
      if constexpr (more_columns)
        narrow_key_[odd] = lds + TileLayout::bytes + NarrowTileLayout::offset(lane % 32, lane / 32 + 2 * odd);
    }
    const uint32_t row = lane / 32 * 4 + lane % 16 / 4, column = lane / 16 % 2 * 16 + lane % 4 * 4;
    for (uint32_t half = 0; half < 2; ++half)
      value_[half] = lds + column % 8 * 2 + TileLayout::offset(row + 8 * half, column / 8);
    pin(key_);
    if constexpr (more_columns) pin(narrow_key_);
    pin(value_);
  }

  // A operand of S^T: lane l holds row l % 32 of block BLOCK, item t of a step is column 16 step + 8 (l / 32) + t. Steps from
  // FIRST on, of a tile in TileLayout and, behind its columns, in NarrowTileLayout. `tile`: its place in LDS.
  template <int BLOCK, int FIRST, class Operand, int Steps>
  FMHA950_INLINE void read_keys(Operand (&keys)[Steps], uint32_t tile) const {
    constexpr int steps_of_tile = head_dim / 16;
    unrolled<Steps>([&](auto i) {
      constexpr int step = FIRST + i;
      if constexpr (step < steps_of_tile)
        read_lds<TileLayout::offset(32 * BLOCK, step / 2 * 4)>(keys[i], key_[step % 2] + tile);
      else
        read_lds<NarrowTileLayout::offset(32 * BLOCK, (step - steps_of_tile) / 2 * 4)>(
            keys[i], narrow_key_[step % 2] + tile);
    });
  }

  template <int Step> FMHA950_INLINE void read_values(ValueHalves& values, uint32_t tile) const {
    unrolled<2>([&](auto half) {
      unrolled<column_blocks>([&](auto block) {
        read_lds_transposed<TileLayout::offset(16 * Step, 4 * block)>(values[block][half],
                                                                      value_[half] + tile);
      });
    });
  }

 private:
  static constexpr bool more_columns = KeyDim > head_dim;

  uint32_t key_[2]; // of even and odd steps
  uint32_t narrow_key_[2];
  uint32_t value_[2];
};

// Descales of the keys of one block of this lane's scores, four by four.
template <int Block> FMHA950_INLINE void read_descales(Float4 (&descales)[4], uint32_t begin) {
  const uint32_t address = begin + lane_id() / 32 * 16;
  unrolled<4>([&](auto quad) { read_lds<attention::key_of(Block, 4 * quad) * 4>(descales[quad], address); });
}

} // namespace fmha950::prepass
