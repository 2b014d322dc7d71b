#pragma once
// S^T = K Q^T of one tile: K from LDS as the A operand, Q in registers as the B operand.

#include "attention/query_rows.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_baseline/variant.hpp"

namespace fmha950::baseline {

template <class Variant> class KeyProduct {
 public:
  using Element = typename Variant::Element;
  using Operand = typename Variant::Operand;
  using Tile = typename Variant::Tile;
  static constexpr int key_blocks = Variant::key_blocks;
  static constexpr int column_steps = Variant::column_steps;

  // Those for chunk 2 s + l / 32 of K's rows stand at widening * s.
  using Queries = Word4[column_steps * Variant::widening];
  static FMHA950_INLINE void load_queries(const void* q, const attention::QueryRows& rows, Queries& queries) {
    constexpr int widening = Variant::widening;
    const auto* chunks = static_cast<const Word4*>(q) + rows.index() * (2 * column_steps * widening) +
                         lane_id() / 32 * widening;
    for (int s = 0; s < column_steps; ++s)
      for (int part = 0; part < widening; ++part)
        queries[widening * s + part] = chunks[2 * widening * s + part];
  }

  // Starts to read what multiply() needs first.
  template <uint32_t OFFSET> FMHA950_INLINE void begin(LdsPlace<OFFSET> tile) {
    base_ = tile.begin + Tile::place(attention::key_of_operand_row(lane_id() % 32), lane_id() / 32);
    read<OFFSET, 0>(keys_[0]);
  }
  // What begin() started is not needed: its registers are free from here on.
  FMHA950_INLINE void abandon() {
    wait_lds<0>();
    pin(keys_[0]);
  }

  // Item r of block b of the lane's query is the score of key 32 b + 16 (l / 32) + r (tile_layout.hpp). K is
  // read a part ahead of its products. all_read() is called before the last part's, which then run beside it. The place is
  // that of begin().
  template <uint32_t OFFSET, class AllRead>
  FMHA950_INLINE void multiply(LdsPlace<OFFSET>, const Queries& queries, Float16 (&scores)[key_blocks],
                               AllRead all_read) {
    unrolled<parts>([&](auto part) {
      constexpr bool more = part + 1 < parts;
      constexpr int block = part / parts_per_block, first_step = part % parts_per_block * steps_per_part;
      if constexpr (more) read<OFFSET, (more ? part + 1 : 0)>(keys_[(part + 1) % 2]);
      schedule_fence(); // clang would have one part's products wait for the next one's operands
      wait_lds<more ? steps_per_part : 0>("k_read");
      pin(keys_[part % 2]);
      if constexpr (!more) all_read();
      unrolled<steps_per_part>([&](auto step) {
        const Float16 sum = first_step + step == 0 ? Float16{} : scores[block];
        scores[block] = multiply_add_widened<Element, Operand>(
            keys_[part % 2][step], queries + (first_step + step) * Variant::widening, sum);
      });
    });
    pin(scores);
  }

 private:
  static constexpr int steps_per_part = column_steps < 4 ? column_steps : column_steps % 4 == 0 ? 4 : 3;
  static_assert(column_steps % steps_per_part == 0);
  static constexpr int parts_per_block = column_steps / steps_per_part;
  static constexpr int parts = key_blocks * parts_per_block;

  template <uint32_t OFFSET, int Part> FMHA950_INLINE void read(Word4 (&keys)[steps_per_part]) {
    constexpr int block = Part / parts_per_block, first_step = Part % parts_per_block * steps_per_part;
    unrolled<steps_per_part>([&](auto step) {
      constexpr uint32_t chunk = 2 * (first_step + step);
      const uint32_t address = base_ ^ Tile::flip(0, chunk);
      read_lds<OFFSET + Tile::offset(32 * block, chunk)>(keys[step], address);
    });
  }

  uint32_t base_;
  Word4 keys_[2][steps_per_part];
};

} // namespace fmha950::baseline
