#pragma once
// S^T = K Q^T as in key_product.hpp with scales outside of the matrix instructions, as aiter's pull request
// 3583 has it: products of 32 columns, whose sum over a scale block is multiplied in fp32 by Q's scale
// of the lane's head and K's scale of each key. ROPE columns have no scale: they are added last.

#include "gfx950/convert.hpp"
#include "gfx950/mfma.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_fused/sparse/variant.hpp"

namespace fmha950::fused::sparse {

template <class Format, class Lds, int SCALE_PART_BYTES> class SoftwareKeyProduct {
 public:
  static constexpr bool fp32_scales = true; // multiply() wants K's scales as the second product does
  using Scores = Float4[parts];

  // Nothing is read ahead of multiply(): scales of the packed format are expanded first.
  struct Reads {};
  static constexpr int begun_reads = 0;

  FMHA950_INLINE SoftwareKeyProduct(const Rows& q, uint64_t row) {
    const uint32_t quarter = lane_id() / 16;
    const uint8_t* nope = q.nope + row * Format::nope_row_bytes;
    for (int step = 0; step < steps; ++step)
      nope_[step] = reinterpret_cast<const Word2*>(nope + 32 * step)[quarter];
    const auto* rope = reinterpret_cast<const Word4*>(q.rope + row * (rope_columns * 2)) + quarter;
    for (int step = 0; step < rope_steps; ++step) rope_[step] = bits_as<RopeOperand>(rope[4 * step]);
    for (int block = 0; block < scale_blocks; ++block)
      if constexpr (Format::scale_bytes > 0)
        scales_[block] = q.scale[row * Format::scale_blocks + block];
      else
        scales_[block] = e8m0_value(nope[nope_columns + block]);
    pin(nope_);
    pin(rope_);
    pin(scales_);
  }

  // `tile`, `scales` (as for the second product): LDS addresses. A scale block is read while the one
  // before is multiplied.
  FMHA950_INLINE void multiply(uint32_t tile, uint32_t scales, Scores& scores) const {
    const uint32_t row = lane_id() % 16, quarter = lane_id() / 16;
    const uint32_t half = Part::place(row, quarter / 2) + quarter % 2 * 8;   // of a chunk
    const uint32_t halves[2] = {tile + half, tile + (half ^ Part::flip(2))}; // of steps 2 i and 2 i + 1
    const uint32_t chunks = tile + Lds::rope + Part::place(row, quarter);
    const uint32_t of_keys = scales + PartScales::of_row(4 * quarter);
    Word2 columns[2][parts][block_steps];
    Float4 key_scales[2][parts];
    RopeOperand rope[parts][rope_steps];
    const auto read = [&](auto block) {
      unrolled<int(parts)>([&](auto part) {
        constexpr int begin = part * Lds::part_bytes;
        if constexpr (block == scale_blocks) {
          unrolled<rope_steps>(
              [&](auto step) { read_lds<begin + step * Part::strip_bytes>(rope[part][step], chunks); });
        } else {
          unrolled<block_steps>([&](auto step) {
            constexpr int number = block * block_steps + step;
            read_lds_half<begin + number / 2 * Part::strip_bytes>(columns[block % 2][part][step],
                                                                  halves[number % 2]);
          });
          read_lds<part * SCALE_PART_BYTES + PartScales::of_block(block)>(key_scales[block % 2][part],
                                                                          of_keys);
        }
      });
    };
    for (Float4& sum : scores) sum = Float4{};
    read(Constant<0>{});
    unrolled<scale_blocks>([&](auto block) {
      read(Constant<block + 1>{});
      wait_lds<int(parts) * (block + 1 < scale_blocks ? block_steps + 1 : rope_steps)>("k_read");
      unrolled<int(parts)>([&](auto part) {
        pin(columns[block % 2][part]);
        pin(key_scales[block % 2][part]);
        Float4 sum = {};
        for (int step = 0; step < block_steps; ++step)
          sum = Mfma16x16x32<fp8>::multiply_add(columns[block % 2][part][step],
                                                nope_[block * block_steps + step], sum);
        scores[part] += sum * (key_scales[block % 2][part] * scales_[block]);
      });
      schedule_fence(); // else the compiler multiplies behind the last wait
    });
    wait_lds<0>("k_read");
    unrolled<int(parts)>([&](auto part) {
      pin(rope[part]);
      Float4 sum = protection("rope_unscaled") ? scores[part] : Float4{};
      for (int step = 0; step < rope_steps; ++step)
        sum = Mfma16x16x32<bf16>::multiply_add(rope[part][step], rope_[step], sum);
      scores[part] = protection("rope_unscaled") ? sum : scores[part] + sum * scales_[0];
    });
    pin(scores);
  }

 private:
  using RopeOperand = Mfma16x16x32<bf16>::Operand;
  static constexpr int steps = nope_columns / 32, rope_steps = rope_columns / 32;
  static constexpr int scale_blocks = Format::scale_blocks, block_steps = Format::scale_block_columns / 32;

  Word2 nope_[steps];
  RopeOperand rope_[rope_steps];
  float scales_[scale_blocks];
};

} // namespace fmha950::fused::sparse
