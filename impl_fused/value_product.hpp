#pragma once
// O^T += V^T P^T of one tile: V from LDS as the A operand, P in registers as the B operand. Byte 16 b + i of
// a lane's P is key 32 b + 16 (l / 32) + i. So the bytes 0 to 15 of both halves are the first block of
// 32 keys, bytes 16 to 31 the second one: as the matrix instruction wants them for V's MX scales, which are
// per 32 keys and column. V in e4m3 has the same keys in its bytes. Nibble i of V in e2m1 is key 32 (l / 32) + i: so
// the instruction has it for that format, and each half of the wave has a block of 32 keys.

#include "gfx950/lds_dma.hpp"
#include "gfx950/lds_nibbles.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_fused/variant.hpp"

namespace fmha950::fused {

template <bool MX, Stored STORED> class ValueProduct {
  static_assert(MX || STORED == Stored::e4m3);
  using Tile = TileOf<STORED>;
  using Product = typename Operand<STORED>::Product;

 public:
  // Starts to read. TILE, SCALES: as in KeyProduct; scales are [2, 128] bytes.
  template <int TILE, int SCALES> FMHA950_INLINE void read(uint32_t lds, uint32_t lists) {
    const uint32_t lane = lane_id(), half = lane / 32, column_16 = lane / 16 % 2, row = lane % 16 / 2;
    if constexpr (STORED == Stored::e4m3) {
      const uint32_t base = lds + Tile::place(16 * half + row, column_16) + lane % 2 * 8;
      unrolled<column_blocks>([&](auto block) {
        unrolled<pieces_of_operand>([&](auto piece) { // of 8 keys
          constexpr int key = piece / 2 * 32 + piece % 2 * 8;
          const uint32_t address = base ^ Tile::flip(key % 16, 2 * block);
          read_lds_transposed_bytes<TILE + key * row_bytes(STORED)>(pieces_[block][piece], address);
        });
      });
    } else {
      // A chunk of a row is a block of 32 columns: the first 16 for 16 lanes, the others for the next 16.
      const uint32_t base = lds + Tile::place(32 * half + lane % 16, 0) + column_16 * 8;
      unrolled<column_blocks>([&](auto block) {
        const uint32_t address = base ^ Tile::flip(0, block);
        unrolled<pieces_of_operand>([&](auto piece) { // of 16 keys
          read_lds_transposed_nibbles<TILE + 16 * piece * row_bytes(STORED)>(pieces_[block][piece], address);
        });
      });
    }
    // Transposed, as V is, where row i is the scales of block i % 4 of 32 columns: byte i becomes that of
    // column 32 i + l % 32, and of the block of keys l / 32, as the matrix instruction wants it.
    if constexpr (MX)
      read_lds_transposed_bytes<SCALES>(scales_, lists +
                                                     (protection("v_scale_of_half") ? half : 0) * head_dim +
                                                     row % 4 * 32 + column_16 * 16 + lane % 2 * 8);
  }

  FMHA950_INLINE void multiply(const Word4 (&probabilities)[key_blocks], Float16 (&output)[column_blocks]) {
    wait_lds<0>("v_read");
    for (auto& block : pieces_) pin(block);
    if constexpr (MX) pin(scales_);
    const Word8 p = joined(probabilities[0], probabilities[1]);
    unrolled<column_blocks>([&](auto block) {
      const auto values = operand(pieces_[block]);
      if constexpr (MX) {
        constexpr uint32_t one = 127; // E8M0 of 1
        constexpr int byte = protection("scale_of_columns") ? int(block) : 0;
        output[block] = Product::template multiply_add<byte, 0>(values, p, output[block], scales_[0], one);
      } else {
        output[block] = Product::multiply_add(values, p, output[block]);
      }
    });
    pin(output);
  }

 private:
  static FMHA950_INLINE Word4 operand(const Word2 (&pieces)[2]) {
    return __builtin_shufflevector(pieces[0], pieces[1], 0, 1, 2, 3);
  }
  static FMHA950_INLINE Word8 operand(const Word2 (&pieces)[4]) {
    return joined(__builtin_shufflevector(pieces[0], pieces[1], 0, 1, 2, 3),
                  __builtin_shufflevector(pieces[2], pieces[3], 0, 1, 2, 3));
  }

  static constexpr int pieces_of_operand = sizeof(typename Operand<STORED>::Words) / sizeof(Word2);
  Word2 pieces_[column_blocks][pieces_of_operand];
  Word2 scales_;
};

} // namespace fmha950::fused
