#pragma once
// S^T = K Q^T as in key_product.hpp with scales outside of the matrix instructions, as aiter's pull request
// 3583 has it: products of 32 columns, whose sum over a group of columns is multiplied in fp32 by Q's scale
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
    for (int group = 0; group < groups; ++group)
      if constexpr (Format::scale_bytes > 0)
        scales_[group] = q.scale[row * Format::groups + group];
      else
        scales_[group] = e8m0_value(nope[nope_columns + group]);
    pin(nope_);
    pin(rope_);
    pin(scales_);
  }

  // `tile`, `scales` (as for the second product): LDS addresses. A group of columns is read while the one
  // before is multiplied.
  FMHA950_INLINE void multiply(uint32_t tile, uint32_t scales, Scores& scores) const {
    const uint32_t row = lane_id() % 16, quarter = lane_id() / 16;
    const uint32_t half = Part::place(row, quarter / 2) + quarter % 2 * 8;   // of a chunk
    const uint32_t halves[2] = {tile + half, tile + (half ^ Part::flip(2))}; // of steps 2 i and 2 i + 1
    const uint32_t chunks = tile + Lds::rope + Part::place(row, quarter);
    const uint32_t of_keys = scales + PartScales::of_row(4 * quarter);
    Word2 columns[2][parts][group_steps];
    Float4 key_scales[2][parts];
    RopeOperand rope[parts][rope_steps];
    const auto read = [&](auto group) {
      unrolled<int(parts)>([&](auto part) {
        constexpr int begin = part * Lds::part_bytes;
        if constexpr (group == groups) {
          unrolled<rope_steps>(
              [&](auto step) { read_lds<begin + step * Part::strip_bytes>(rope[part][step], chunks); });
        } else {
          unrolled<group_steps>([&](auto step) {
            constexpr int number = group * group_steps + step;
            read_lds_half<begin + number / 2 * Part::strip_bytes>(columns[group % 2][part][step],
                                                                  halves[number % 2]);
          });
          read_lds<part * SCALE_PART_BYTES + PartScales::of_group(group)>(key_scales[group % 2][part],
                                                                          of_keys);
        }
      });
    };
    for (Float4& sum : scores) sum = Float4{};
    read(Constant<0>{});
    unrolled<groups>([&](auto group) {
      read(Constant<group + 1>{});
      wait_lds<int(parts) * (group + 1 < groups ? group_steps + 1 : rope_steps)>("k_read");
      unrolled<int(parts)>([&](auto part) {
        pin(columns[group % 2][part]);
        pin(key_scales[group % 2][part]);
        Float4 sum = {};
        for (int step = 0; step < group_steps; ++step)
          sum = Mfma16x16x32<fp8>::multiply_add(columns[group % 2][part][step],
                                                nope_[group * group_steps + step], sum);
        scores[part] += sum * (key_scales[group % 2][part] * scales_[group]);
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
  static constexpr int groups = Format::groups, group_steps = Format::group_columns / 32;

  Word2 nope_[steps];
  RopeOperand rope_[rope_steps];
  float scales_[groups];
};

} // namespace fmha950::fused::sparse
