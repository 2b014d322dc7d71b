#pragma once
// S^T = K Q^T of one tile: K from LDS as the A operand, Q in registers as the B operand. With MX the matrix
// instruction takes the E8M0 scales of both: a step of 64 columns has two for every row, of 32 columns each,
// which are neighbours in the row's 4 bytes. The lower lanes name the first, the upper ones the second: so
// these shift their 4 bytes by one, and both name byte 0 in the first step, byte 2 in the second. That is the same for K in e2m1,
// where a lane's 32 elements are 32 consecutive columns.

#include "attention/fp8_queries.hpp"
#include "gfx950/lds_dma.hpp"
#include "gfx950/unroll.hpp"
#include "impl_fused/variant.hpp"

namespace fmha950::fused {

template <bool MX, Stored STORED> class KeyProduct {
  static_assert(MX || STORED == Stored::e4m3);
  using Tile = TileOf<STORED>;
  using Product = typename Operand<STORED>::Product;
  static constexpr int chunks = sizeof(typename Operand<STORED>::Words) / 16; // of a lane's operand

 public:
  FMHA950_INLINE KeyProduct(const AttentionArguments& arguments, const attention::QueryRows& rows) {
    attention::load_fp8_queries(arguments.q, rows, queries_);
    if constexpr (MX) {
      query_scales_ = reinterpret_cast<const uint32_t*>(arguments.q_scale)[rows.index()];
      pin(query_scales_); // it is there before the queue of kv_stager.hpp begins
      query_scales_ >>= protection("q_scale_of_half") ? half_shift_ : 0;
    }
  }

  // Item r of block b of the lane's query is the score of key 32 b + 16 (l / 32) + r
  // (attention/tile_layout.hpp). TILE, SCALES: where the tile and its scales, a word for each key, begin, from `lds` and `lists` on:
  // part of the instructions, so that either place has the same addresses. Whatever the caller has started to read from LDS is
  // there afterwards.
  template <int TILE, int SCALES>
  FMHA950_INLINE void multiply(uint32_t lds, uint32_t lists, Float16 (&scores)[key_blocks]) const {
    const uint32_t row = attention::key_of_operand_row(lane_id() % 32);
    const uint32_t base = lds + Tile::place(row, lane_id() / 32);
    uint32_t key_scales[key_blocks];
    if constexpr (MX)
      unrolled<key_blocks>([&](auto block) {
        read_lds_word<SCALES + 32 * block * 4>(
            key_scales[block], lists + (protection("k_scale_of_row") ? row : lane_id() % 32) * 4);
      });
    Word4 pieces[column_steps][key_blocks][chunks];
    unrolled<column_steps>([&](auto step) {
      unrolled<chunks>([&](auto piece) {
        const uint32_t address = base ^ Tile::flip(0, 2 * chunks * step + 2 * piece);
        unrolled<key_blocks>([&](auto block) {
          read_lds<TILE + 32 * block * row_bytes(STORED)>(pieces[step][block][piece], address);
        });
      });
    });
    for (auto& block : scores) block = Float16{};
    unrolled<column_steps>([&](auto step) {
      constexpr bool last = step + 1 == column_steps;
      wait_lds<last ? 0 : chunks * key_blocks>("k_read");
      for (auto& block : pieces[step]) pin(block);
      if constexpr (MX && step == 0) {
        pin(key_scales);
        for (uint32_t& word : key_scales) word >>= protection("k_scale_of_half") ? half_shift_ : 0;
      }
      unrolled<key_blocks>([&](auto block) {
        const auto keys = operand(pieces[step][block]);
        if constexpr (MX) {
          constexpr int byte = protection("scale_of_step") ? 2 * step : 0;
          scores[block] = Product::template multiply_add<byte, byte>(keys, queries_[step], scores[block],
                                                                     key_scales[block], query_scales_);
        } else {
          scores[block] = Product::multiply_add(keys, queries_[step], scores[block]);
        }
      });
      schedule_fence(); // else the compiler multiplies behind the last wait
    });
    pin(scores);
  }

 private:
  static FMHA950_INLINE Word8 operand(const Word4 (&pieces)[2]) { return joined(pieces[0], pieces[1]); }
  static FMHA950_INLINE Word4 operand(const Word4 (&pieces)[1]) { return pieces[0]; }

  Word8 queries_[column_steps];
  uint32_t half_shift_ = lane_id() / 32 * 8, query_scales_ = 0;
};

} // namespace fmha950::fused
