#pragma once
// S^T = K Q^T of one tile: K from LDS as the A operand, Q in registers as the B operand.

#include "attention/query_rows.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_baseline/variant.hpp"

namespace fmha950::baseline {

template <class Variant> struct KeyProduct {
  using Element = typename Variant::Element;
  using Tile = typename Variant::Tile;
  static constexpr int key_blocks = Variant::key_blocks;
  static constexpr int column_steps = Variant::column_steps;

  // Chunk s of a lane is chunk 2 s + l / 32 of its query's row.
  static FMHA950_INLINE void load_queries(const void* q, const attention::QueryRows& rows,
                                          Word4 (&queries)[column_steps]) {
    const auto* chunks = static_cast<const Word4*>(q) + rows.index() * (2 * column_steps) + lane_id() / 32;
    for (int s = 0; s < column_steps; ++s) queries[s] = chunks[2 * s];
  }

  // Item r of block b of the lane's query is the score of key 32 b + 16 (l / 32) + r (tile_layout.hpp). K is
  // read a few steps ahead of its products.
  static FMHA950_INLINE void multiply(uint32_t tile_begin, const Word4 (&queries)[column_steps],
                                      Float16 (&scores)[key_blocks]) {
    const uint32_t base =
        tile_begin + Tile::place(attention::key_of_operand_row(lane_id() % 32), lane_id() / 32);
    Word4 keys[2][steps_per_part][key_blocks];
    read<0>(keys[0], base);
    unrolled<parts>([&](auto part) {
      constexpr bool more = part + 1 < parts;
      if constexpr (more) read<(more ? part + 1 : 0)>(keys[(part + 1) % 2], base);
      if constexpr (protection("k_read"))
        wait_lds<(more ? steps_per_part * key_blocks : 0) + (protection("k_read_n") ? 0 : 1)>();
      for (auto& step : keys[part % 2]) pin(step);
      unrolled<steps_per_part>([&](auto step) {
        for (int block = 0; block < key_blocks; ++block)
          scores[block] = multiply_add_chunks<Element>(keys[part % 2][step][block],
                                                       queries[part * steps_per_part + step], scores[block]);
      });
    });
    pin(scores);
  }

 private:
  static constexpr int steps_per_part = column_steps < 4 ? column_steps : 4;
  static constexpr int parts = column_steps / steps_per_part;

  template <int Part>
  static FMHA950_INLINE void read(Word4 (&keys)[steps_per_part][key_blocks], uint32_t base) {
    unrolled<steps_per_part>([&](auto step) {
      const uint32_t address = base ^ Tile::flip(0, 2 * (Part * steps_per_part + step));
      unrolled<key_blocks>(
          [&](auto block) { read_lds<32 * block * Variant::row_bytes>(keys[step][block], address); });
    });
  }
};

} // namespace fmha950::baseline
