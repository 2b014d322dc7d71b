#pragma once
// S^T = K Q^T of one tile for the wave's 16 heads: NOPE columns in FP8 with scales, ROPE columns in bf16. K
// comes from LDS as the A operand, Q stays in registers as the B operand: the lane's head is l % 16, its item
// r of block b is key 16 b + 4 (l / 16) + r.
//
// A step is 128 columns, four blocks of 32 with a scale each. Lane l, g = l / 16, brings columns 16 g and
// following and 64 + 16 g and following of its row, and names the scale of block g of its row. 448 columns
// are three steps and a half: the last one's other half is zeros, and its scales are 1, because a scale that
// is NaN makes NaN of zeros.

#include "gfx950/mfma.hpp"
#include "gfx950/mfma_fp8.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_fused/sparse/scale_bytes.hpp"

namespace fmha950::fused::sparse {

template <class Format, class Lds> class HardwareKeyProduct {
 public:
  static constexpr bool fp32_scales = false;
  using Scores = Float4[parts];
  using Scales = ScaleBytes<Format, Lds>;

  FMHA950_INLINE HardwareKeyProduct(const Rows& q, uint64_t row) {
    const uint32_t quarter = lane_id() / 16;
    const auto* nope = reinterpret_cast<const Word4*>(q.nope + row * Format::nope_row_bytes) + quarter;
    unrolled<steps>([&](auto step) {
      nope_[step] = joined(nope[8 * step], chunks_of(step) == 2 ? nope[8 * step + 4] : Word4{});
    });
    const auto* rope = reinterpret_cast<const Word4*>(q.rope + row * (rope_columns * 2)) + quarter;
    for (int step = 0; step < rope_steps; ++step) rope_[step] = bits_as<RopeOperand>(rope[4 * step]);
    scales_ = Scales::of_query(q, row);
    pin(nope_);
    pin(rope_);
    pin(scales_);
  }

  // What is read of a tile, in flight between begin() and multiply().
  struct Reads {
    typename Scales::Stored scales[parts];
    Word4 chunks[2][parts][2];
  };
  static constexpr int begun_reads = int(parts) * (Scales::reads + 2);

  // Starts to read scales and the first columns of both parts. `tile`: LDS address.
  static FMHA950_INLINE void begin(Reads& reads, uint32_t tile) {
    unrolled<int(parts)>(
        [&](auto part) { Scales::template read<part * Lds::part_bytes>(reads.scales[part], tile); });
    read<0>(reads, tile);
  }

  // Columns are read one step ahead of their products. `before_last` is called where nothing is left to read
  // but has still to arrive, and may start `YOUNGER_READS` of its own.
  template <int YOUNGER_READS, class BeforeLast>
  FMHA950_INLINE void multiply(Reads& reads, uint32_t tile, Scores& scores, BeforeLast before_last) const {
    for (Float4& sum : scores) sum = Float4{};
    unrolled<steps + 1>([&](auto step) {
      constexpr bool more = step < steps;
      if constexpr (more)
        read<step + 1>(reads, tile);
      else
        before_last();
      wait_lds<more ? parts * chunks_of(step + 1) : YOUNGER_READS>("k_read");
      if constexpr (step == 0)
        for (auto& of_part : reads.scales) Scales::to_operands(of_part);
      if constexpr (!more) separate_kinds(scores);
      unrolled<int(parts)>([&](auto part) {
        auto& [first, second] = reads.chunks[step % 2][part];
        pin(first);
        if constexpr (chunks_of(step) == 2) pin(second);
        if constexpr (more) {
          const Word8 keys = joined(first, chunks_of(step) == 2 ? second : Word4{});
          scores[part] = Fp8Mfma16x16x128::multiply_add<Scales::key_byte, step>(
              keys, nope_[step], scores[part], reads.scales[part][int(step)], scales_);
        } else {
          const auto multiply_add = Mfma16x16x32<bf16>::multiply_add;
          scores[part] = multiply_add(bits_as<RopeOperand>(first), rope_[0], scores[part]);
          scores[part] = multiply_add(bits_as<RopeOperand>(second), rope_[1], scores[part]);
        }
      });
      schedule_fence(); // else the compiler multiplies behind the last wait
    });
    pin(scores);
  }

 private:
  using RopeOperand = Mfma16x16x32<bf16>::Operand;
  static constexpr int steps = 4, rope_steps = 2; // of 128 and of 32 columns; ROPE counts as one step more
  // NOPE's matrix instruction is of another kind than ROPE's. Five wait states belong between two kinds on one
  // accumulator (LLVM #218363, open: docs/hardware/errata.md); clang 22 leaves three.
  static FMHA950_INLINE void separate_kinds(Scores& scores) {
    pin(scores);
    asm volatile("s_nop 4" ::: "memory");
    pin(scores);
  }
  static constexpr int chunks_of(int step) {
    return step + 1 == steps && protection("padding_zeroed") ? 1 : 2;
  }

  template <int STEP> static FMHA950_INLINE void read(Reads& reads, uint32_t tile) {
    const uint32_t rows = tile + Part::place(lane_id() % 16, lane_id() / 16);
    unrolled<int(parts)>([&](auto part) {
      unrolled<chunks_of(STEP)>([&](auto i) {
        constexpr int place =
            STEP < steps ? (2 * STEP + i) * Part::strip_bytes : Lds::rope + i * Part::strip_bytes;
        read_lds<part * Lds::part_bytes + place>(reads.chunks[STEP % 2][part][i], rows);
      });
    });
  }

  Word8 nope_[steps];
  RopeOperand rope_[rope_steps];
  uint32_t scales_; // byte s: of step s
};

} // namespace fmha950::fused::sparse
