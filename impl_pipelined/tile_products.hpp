#pragma once
// The two products of a tile, S^T = K Q^T and O^T += V^T P^T, and their operands: how Q comes from memory, K
// and V from LDS.

#include "attention/fp8_queries.hpp"
#include "gfx950/lds.hpp"
#include "gfx950/mfma_fp8.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_pipelined/kernel_arguments.hpp"
#include "impl_pipelined/kv_tile.hpp"

namespace fmha950::pipelined {

using namespace gfx950;

template <class Mfma> class TileProducts {
 public:
  static constexpr int column_blocks = head_dim / 32;
  using Output = Float16[column_blocks];

  FMHA950_INLINE explicit TileProducts(uint32_t lds) : lds_(lds) {}

  FMHA950_INLINE void load_queries(const uint8_t* q, const attention::QueryRows& rows) {
    attention::load_fp8_queries(q, rows, queries_);
  }

  // A operand of S^T: lane l holds row l % 32 of each block, bytes as in load_fp8_queries().
  template <int Parity> FMHA950_INLINE void read_keys() {
    const uint32_t base = lds_ + KvTile::offset(lane_id() % 32, lane_id() / 32);
    unrolled<4>([&](auto piece) { // chunk 2 piece + h, which the swizzle exchanges by an exclusive or
      const uint32_t address = base ^ (piece * 32);
      unrolled<2>([&](auto block) {
        read_lds<KvTile::k_tile(Parity) + block * 32 * KvTile::row_bytes>(key_pieces_[block][piece], address);
      });
    });
  }

  // A operand of O^T, read transposed: lane l holds column l % 32 of each block and the keys that D of S^T
  // left to this half of the wave: byte 16 b + i is key 32 b + 8 (i / 4) + 4 (l / 32) + i % 4.
  template <int Parity> FMHA950_INLINE void read_values() {
    const uint32_t lane = lane_id();
    const uint32_t i = lane % 16 / 2; // of the eight rows that one read transposes
    const uint32_t row = 8 * (i / 4) + 4 * (lane / 32) + i % 4;
    const uint32_t base = lds_ + KvTile::offset(row, lane / 16 % 2) + lane % 2 * 8;
    unrolled<column_blocks>([&](auto block) {
      const uint32_t address = base ^ (block * 32);
      unrolled<4>([&](auto piece) {
        read_lds_transposed_bytes<KvTile::v_tile(Parity) + piece * 16 * KvTile::row_bytes>(
            value_pieces_[block][piece], address);
      });
    });
  }

  FMHA950_INLINE void pin_keys() {
    for (auto& block : key_pieces_) pin(block);
  }
  FMHA950_INLINE void pin_values() {
    for (auto& block : value_pieces_) pin(block);
  }

  // A quarter of the product: the quarters in order are all of it.
  template <int Quarter> FMHA950_INLINE void multiply_keys(Float16 (&scores)[2]) const {
    constexpr int step = Quarter / 2, block = Quarter % 2;
    const Word4* pieces = key_pieces_[block] + 2 * step;
    scores[block] = Mfma::multiply_add(joined(pieces[0], pieces[1]), queries_[step],
                                       step == 0 ? Float16{} : scores[block]);
  }

  // Likewise: a block of columns.
  template <int Quarter>
  FMHA950_INLINE void multiply_values(const Word4 (&rounded)[2], Output& output) const {
    const Word2* pieces = value_pieces_[Quarter];
    const Word4 low = __builtin_shufflevector(pieces[0], pieces[1], 0, 1, 2, 3);
    const Word4 high = __builtin_shufflevector(pieces[2], pieces[3], 0, 1, 2, 3);
    output[Quarter] = Mfma::multiply_add(joined(low, high), joined(rounded[0], rounded[1]), output[Quarter]);
  }

 private:
  uint32_t lds_;
  Word8 queries_[2];
  Word4 key_pieces_[2][4];   // by block of 32 keys
  Word2 value_pieces_[4][4]; // by block of 32 columns
};

} // namespace fmha950::pipelined
