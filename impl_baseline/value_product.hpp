#pragma once
// O^T += V^T P^T of one tile: V from LDS as the A operand, P in registers as the B operand. Chunk s of
// the lane's V for a block of columns are the keys first_key(s) + 16 (l / 32), ... of column l % 32; the same keys
// of the lane's query are one chunk of P, or several where V is widened.

#include "gfx950/mutant.hpp"
#include "gfx950/schedule.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_baseline/variant.hpp"

namespace fmha950::baseline {

// TILE: of the tile's place in LDS, what is part of the instructions.
template <class Variant, uint32_t TILE = 0> class ValueProduct {
 public:
  using Element = typename Variant::Element;
  using Operand = typename Variant::Operand;
  using Tile = typename Variant::ValueTile;
  static constexpr int key_steps = Variant::key_steps;
  static constexpr int column_blocks = Variant::column_blocks;
  static constexpr int blocks_per_part = column_blocks < 4 ? column_blocks : 4;
  static constexpr int reads_per_part = blocks_per_part * (Variant::vectorized ? 1 : 2); // of LDS

  // The lane's keys: the chunks of a block have the keys of the block's scores, in their order.
  static constexpr int steps_per_block = 16 / Variant::chunk_keys; // of 32 keys
  using Probabilities = Word4[key_steps * Variant::widening];
  static FMHA950_INLINE void round(const Float16& items, Word4* chunks) {
    unrolled<Variant::operands_per_block>(
        [&](auto chunk) { chunks[chunk] = round_chunk<Operand, chunk * chunk_elements<Operand>>(items); });
  }
  static FMHA950_INLINE void round(const Float16 (&items)[Variant::key_blocks],
                                   Probabilities& probabilities) {
    unrolled<Variant::key_blocks>(
        [&](auto block) { round(items[block], probabilities + block * Variant::operands_per_block); });
  }

  // keys_left: keys of the request from the tile's first on.
  FMHA950_INLINE ValueProduct(LdsPlace<TILE> tile, int keys_left) : keys_left_(keys_left) {
    const uint32_t lane = lane_id(), half = lane / 32, in_16 = lane % 16;
    if constexpr (Variant::vectorized) {
      base_ = tile.begin + (half * (16 / Variant::chunk_keys) * Variant::value_dim + lane % 32) * 16;
    } else if constexpr (__is_same(Element, fp8)) {
      base_ = tile.begin + Tile::place(16 * half + in_16 / 2, lane / 16 % 2) + in_16 % 2 * 8;
    } else {
      base_ =
          tile.begin + Tile::place(16 * half + in_16 / 4, lane / 16 % 2 * 2 + in_16 % 4 / 2) + in_16 % 2 * 8;
    }
  }

  // Starts to read what multiply() needs first.
  FMHA950_INLINE void begin() { read<0>(values_[0]); }

  // before_block(b) is called before the first product of block b of the probabilities, all_read() before the
  // products of the last part: what they do runs beside the products.
  template <class BeforeBlock, class AllRead>
  FMHA950_INLINE void multiply(const Probabilities& probabilities, Float16 (&output)[column_blocks],
                               BeforeBlock before_block, AllRead all_read) {
    unrolled<parts>([&](auto part) {
      constexpr bool more = part + 1 < parts;
      auto& values = values_[part % 2];
      if constexpr (more) read<(more ? part + 1 : 0)>(values_[(part + 1) % 2]);
      wait_lds<more ? reads_per_part : 0>("v_read");
      for (auto& block : values) pin(block.words);
      if constexpr (Variant::vectorized)
        if (keys_left_ < keys_per_tile && protection("unused_slots_vectorized"))
          drop_unused<part / parts_per_step>(values);
      if constexpr (part % (parts / Variant::key_blocks) == 0)
        before_block(Constant<part / (parts / Variant::key_blocks)>{});
      if constexpr (!more) all_read();
      unrolled<blocks_per_part>([&](auto block) {
        auto& sum = output[part % parts_per_step * blocks_per_part + block];
        sum = multiply_add_widened<Element, Operand>(
            values[block].chunk(), probabilities + part / parts_per_step * Variant::widening, sum);
      });
      if constexpr (!more) interleave_with_mfma<reads_per_part, 3, 0>(); // what all_read() left to do
    });
    pin(output);
  }

 private:
  struct Chunk { // as LDS delivers it: whole, or in halves
    using Part = Vector<uint32_t, Variant::vectorized ? 4 : 2>;
    Part words[Variant::vectorized ? 1 : 2];
    FMHA950_INLINE Word4 chunk() const {
      if constexpr (Variant::vectorized)
        return words[0];
      else
        return __builtin_shufflevector(words[0], words[1], 0, 1, 2, 3);
    }
  };
  static constexpr int parts_per_step = column_blocks / blocks_per_part;
  static constexpr int parts = key_steps * parts_per_step;

  static constexpr int first_key(int step) { // of the lanes below 32
    return step / steps_per_block * 32 + step % steps_per_block * Variant::chunk_keys;
  }

  template <int Part> FMHA950_INLINE void read(Chunk (&values)[blocks_per_part]) {
    constexpr int key = first_key(Part / parts_per_step);
    unrolled<blocks_per_part>([&](auto index) {
      constexpr int block = Part % parts_per_step * blocks_per_part + index;
      if constexpr (Variant::vectorized) {
        read_lds<TILE + (key / Variant::chunk_keys * Variant::value_dim + 32 * block) * 16>(
            values[index].words[0], base_);
      } else {
        constexpr int chunks_per_block = 2 * element_bytes<Element>;
        unrolled<2>([&](auto half) {
          constexpr int row = key + half * (Variant::chunk_keys / 2);
          const uint32_t address = base_ ^ Tile::flip(row % 16, chunks_per_block * block);
          if constexpr (__is_same(Element, fp8))
            read_lds_transposed_bytes<TILE + row * Variant::value_row_bytes>(values[index].words[half],
                                                                             address);
          else
            read_lds_transposed<TILE + row * Variant::value_row_bytes>(values[index].words[half], address);
        });
      }
    });
  }

  // Zeros for the keys past the end: the unused slots of the last page may hold NaN, and P = 0 does not make
  // 0 of them.
  template <int Step> FMHA950_INLINE void drop_unused(Chunk (&values)[blocks_per_part]) const {
    constexpr int key_bits = 8 * element_bytes<Element>;
    const int keys_left = keys_left_ + off_by_one("unused_slots_exact_vectorized");
    const int bits = (keys_left - first_key(Step) - static_cast<int>(lane_id() / 32) * 16) * key_bits;
    for (int w = 0; w < 4; ++w) {
      const int used = minimum(maximum(bits - 32 * w, 0), 32);
      const uint32_t mask = used == 32 ? ~0u : (1u << used) - 1;
      for (auto& block : values) block.words[0][w] &= mask;
    }
  }

  int keys_left_;
  uint32_t base_;
  Chunk values_[2][blocks_per_part];
};

} // namespace fmha950::baseline
