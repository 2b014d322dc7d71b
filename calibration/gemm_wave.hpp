#pragma once
// One wave's part of a tile of C: four quadrants (i, j), from half i of A's rows and half j of B's. Eight
// waves lie in 2 x 4, so that a quadrant is 64 x 32, four in 2 x 2 with quadrants of 64 x 64. When which part
// is read and multiplied is up to the schedules (ping_pong.hpp, interleaved.hpp).
//
// The products are those of C^T = B A^T: lane l then holds four consecutive columns of a row of C.

#include "calibration/gemm_sums.hpp"
#include "calibration/gemm_tile.hpp"
#include "gfx950/buffer_resource.hpp"
#include "gfx950/convert.hpp"
#include "gfx950/lds.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"

namespace fmha950::calibration {

using namespace gfx950;

template <class Product, template <class, int> class SumsOf, int WAVES> class GemmWave {
 public:
  static constexpr int edge = Product::edge;
  static constexpr int a_waves = 2, b_waves = WAVES / 2;
  static constexpr int a_blocks = HalfTile::rows / a_waves / edge, b_blocks = HalfTile::rows / b_waves / edge;
  static constexpr int quadrant_instructions = a_blocks * b_blocks * Product::instructions;
  template <Operand OPERAND> static constexpr int blocks = OPERAND == operand_a ? a_blocks : b_blocks;
  template <Operand OPERAND> static constexpr int half_reads = blocks<OPERAND> * Product::reads;

  FMHA950_INLINE explicit GemmWave(uint32_t lds) {
    for (int s = 0; s < Product::reads; ++s) {
      const uint32_t chunk = lane_id() / edge + wave_lanes / edge * s;
      const uint32_t place = lds + HalfTile::place(lane_id() % edge, chunk);
      addresses_[operand_a][s] = place + a_row() * step_bytes;
      addresses_[operand_b][s] = place + b_row() * step_bytes;
    }
  }

  // Starts to read the n-th of half_reads pieces of a half. After half 1 the operand's next step is read.
  template <Operand OPERAND, int HALF, int N> FMHA950_INLINE void read_piece() {
    constexpr int block = N / Product::reads, s = N % Product::reads;
    constexpr int offset = LdsLayout::half_tile(OPERAND, HALF) + block * edge * step_bytes;
    read_lds<offset>(operand<OPERAND, HALF>()[block][s], addresses_[OPERAND][s]);
    if constexpr (HALF == 1 && N == half_reads<OPERAND> - 1)
      for (uint32_t& address : addresses_[OPERAND]) address ^= LdsLayout::parity;
  }
  template <Operand OPERAND, int HALF> FMHA950_INLINE void read() {
    unrolled<half_reads<OPERAND>>([&](auto n) { read_piece<OPERAND, HALF, n>(); });
  }
  // What was read is there from here on.
  template <Operand OPERAND, int HALF> FMHA950_INLINE void wait_for_reads() {
    wait_lds<0>();
    for (auto& block : operand<OPERAND, HALF>()) pin(block);
  }

  // Multiplies quadrant (I, J); after its n-th matrix instruction it calls between(Constant<n>).
  template <int I, int J, class Between> FMHA950_INLINE void multiply(Between between) {
    unrolled<Product::instructions>([&](auto instruction) {
      unrolled<a_blocks>([&](auto i) {
        unrolled<b_blocks>([&](auto j) {
          sums_.template add<sum_of(I, J, i, j)>(
              Product::template operand<instruction>(operand<operand_b, J>()[j]),
              Product::template operand<instruction>(operand<operand_a, I>()[i]));
          between(Constant<(instruction * a_blocks + i) * b_blocks + j>{});
        });
      });
    });
    sums_.template keep<sum_of(I, J, 0, 0), a_blocks * b_blocks>();
  }

  // Rounds and stores the wave's part of the tile, whose rows of `row_bytes` begin at c.
  FMHA950_INLINE void store(void* c, uint32_t row_bytes) {
    sums_.settle();
    // To the end of the tile's last row and no further: the hardware may check the whole range (errata.md).
    const BufferResource output = raw_buffer(c, (tile_edge - 1) * row_bytes + tile_edge * 2);
    const uint32_t offset = lane_id() % edge * row_bytes + lane_id() / edge * 8;
    unrolled<2>([&](auto half_a) {
      unrolled<a_blocks>([&](auto i) {
        const uint32_t row = half_a * HalfTile::rows + a_row() + i * edge;
        unrolled<2>([&](auto half_b) {
          unrolled<b_blocks>([&](auto j) {
            const uint32_t column = half_b * HalfTile::rows + b_row() + j * edge;
            store_block(sums_.template value<sum_of(half_a, half_b, i, j)>(), output, offset,
                        row * row_bytes + column * 2);
          });
        });
      });
    });
  }

 private:
  // Four waves keep both halves of A, for one is read while the other is multiplied.
  static constexpr int a_kept = WAVES == 4 ? 2 : 1;

  template <Operand OPERAND, int HALF> FMHA950_INLINE auto& operand() {
    if constexpr (OPERAND == operand_a)
      return a_[HALF % a_kept];
    else
      return b_[HALF];
  }

  static constexpr int sums = 4 * a_blocks * b_blocks;
  static constexpr int sum_of(int half_a, int half_b, int i, int j) {
    return ((half_a * 2 + half_b) * a_blocks + i) * b_blocks + j;
  }

  // The first row of this wave in each half.
  static FMHA950_INLINE uint32_t a_row() { return wave_id() / b_waves * (HalfTile::rows / a_waves); }
  static FMHA950_INLINE uint32_t b_row() { return wave_id() % b_waves * (HalfTile::rows / b_waves); }

  // Item r of lane l is column 8 (r / 4) + 4 (l / edge) + r % 4 of row l % edge.
  static FMHA950_INLINE void store_block(typename Product::Accumulator sums, BufferResource output,
                                         uint32_t offset, uint32_t scalar_offset) {
    for (uint32_t quad = 0; quad < sizeof(sums) / 16; ++quad) {
      const auto low = round_pair<bf16>(Float2{sums[4 * quad], sums[4 * quad + 1]});
      const auto high = round_pair<bf16>(Float2{sums[4 * quad + 2], sums[4 * quad + 3]});
      __builtin_amdgcn_raw_buffer_store_b64(Word2{bits_as<uint32_t>(low), bits_as<uint32_t>(high)}, output,
                                            offset + quad * 16, scalar_offset, 0);
    }
  }

  using Sums = SumsOf<Product, sums>;

  uint32_t addresses_[2][Product::reads]; // of block 0 of half 0 of the operand's next step
  Word4 a_[a_kept][a_blocks][Product::reads];
  Word4 b_[2][b_blocks][Product::reads];
  Sums sums_;
};

} // namespace fmha950::calibration
