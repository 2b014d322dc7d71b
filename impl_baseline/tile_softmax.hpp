#pragma once
// From a tile's scores to its P: descales of K, soft cap, running maximum and sum, descales of V, rounding.
//
// With block scales V's descale of a key goes into its P. What is rounded is then not P but the key's weight
// w = P * descale, and it is w that has to use the element's range: N, the largest w of the query so far,
// plays the part for the output that the largest score plays for the sum. P enters the matrix product as w *
// 2^peak / N, and what was accumulated follows from N to N by the ratio previous / current. So the key that
// dominates a row is exact whatever its descale is, and neither pages of tiny nor of huge descales overflow
// or vanish.

#include "attention/key_mask.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/online_softmax.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_baseline/variant.hpp"

namespace fmha950::baseline {

template <class Variant> class TileSoftmax {
 public:
  using Element = typename Variant::Element;
  using Scores = Float16[Variant::key_blocks];
  using Probabilities = Word4[Variant::key_steps];
  using Output = Float16[Variant::column_blocks];

  FMHA950_INLINE TileSoftmax(const AttentionArguments& arguments)
      : score_scale_(arguments.score_scale), cap_scale_(arguments.cap_scale) {}

  // `descales`: in LDS, one per key of the tile.
  FMHA950_INLINE void scale_by_key(Scores& scores, uint32_t descales) const {
    Float4 of_key[Variant::key_blocks][4];
    read_descales(of_key, descales);
    if constexpr (protection("k_descales_read")) wait_lds<0>();
    pin(of_key);
    if constexpr (!protection("k_descale")) return;
    for (int block = 0; block < Variant::key_blocks; ++block)
      for (int r = 0; r < 16; ++r) scores[block][r] *= of_key[block][r / 4][r % 4];
  }

  // tanh(x) = 1 - 2 / (e^2x + 1), from 2 x log2(e): -1 and 1 where the exponential is 0 and infinite.
  FMHA950_INLINE void cap(Scores& scores) const {
    if (cap_scale_ == 0 || !protection("soft_cap")) return;
    for (auto& block : scores)
      for (int r = 0; r < 16; ++r) {
        const float e = exp2_fast(block[r] * cap_scale_);
        block[r] = __builtin_fmaf(-2, __builtin_amdgcn_rcpf(e + 1), 1);
      }
  }

  // `descales`: of V, in LDS, one per key of the tile; only with block scales.
  FMHA950_INLINE void soften(Scores& scores, uint32_t descales, Probabilities& probabilities,
                             Output& output) {
    float factor = 1; // of what was accumulated
    const float maximum = column_maximum(scores) * score_scale_;
    // With block scales the weights have a range of their own.
    const bool higher = sums_.follow(maximum - (Variant::block_scale ? 0 : Variant::peak), factor);
    for (auto& block : scores)
      for (int r = 0; r < 16; r += 2) {
        const Float2 p = sums_.probabilities({block[r], block[r + 1]}, score_scale_);
        block[r] = p[0];
        block[r + 1] = p[1];
      }
    if constexpr (Variant::block_scale)
      weigh(scores, descales, higher ? factor : 1, output);
    else if (higher && protection("output_rescaled"))
      for (auto& block : output) block *= factor;
    unrolled<Variant::key_steps>([&](auto step) {
      constexpr int steps_per_block = 16 / Variant::chunk_keys;
      constexpr int first = step % steps_per_block * Variant::chunk_keys;
      probabilities[step] = round_chunk<Element, first>(scores[step / steps_per_block]);
    });
  }

  struct Result {
    float output_factor, lse; // natural log
  };
  // `sink`: natural-log score of one more key, whose value is zero; -inf for none. A query that saw nothing
  // has an output of 0 and the LSE of its sink.
  FMHA950_INLINE Result finish(float sink) const {
    constexpr float log2e = 1.44269504088896341f, ln2 = 0.693147180559945309f;
    // The sum is in units of 2^reference, where the maximum was lowered by the peak: that cancels here.
    const float reference = sums_.reference + (protection("shift_cancelled") ? 0 : Variant::peak);
    const float sink2 = sink * (protection("sink_base") ? log2e : 1);
    const float top = maximum(reference, sink2);
    const float keys = exp2_fast(reference - top);
    const float sum_of_keys = sums_.denominator() * keys;
    const float sum = sum_of_keys + (protection("sink_in_denominator") ? exp2_fast(sink2 - top) : 0);
    const float sum_of_lse = protection("sink_in_lse") ? sum : sum_of_keys;
    const float factor = keys * __builtin_amdgcn_rcpf(sum) *
                         (Variant::block_scale ? largest_weight_ * (1.0f / (1 << Variant::peak)) : 1);
    return {sum == 0 && protection("nothing_seen") ? 0 : factor,
            (top + log2_fast(sum_of_lse)) * (protection("lse_base") ? ln2 : 1)};
  }

 private:
  // Of the lane's keys: item 4 q + i of block b in element i of [b][q].
  static FMHA950_INLINE void read_descales(Float4 (&descales)[Variant::key_blocks][4], uint32_t begin) {
    const uint32_t address = begin + lane_id() / 32 * attention::ConsecutiveOrder::upper_half * 4;
    unrolled<Variant::key_blocks>([&](auto block) {
      unrolled<4>([&](auto quad) {
        read_lds<attention::ConsecutiveOrder::of(block, 4 * quad) * 4>(descales[block][quad], address);
      });
    });
  }

  FMHA950_INLINE void weigh(Scores& probabilities, uint32_t descales, float factor, Output& output) {
    Float4 of_key[Variant::key_blocks][4];
    read_descales(of_key, descales);
    if constexpr (protection("v_descales_read")) wait_lds<0>();
    pin(of_key);
    for (int block = 0; block < Variant::key_blocks; ++block)
      for (int r = 0; r < 16; ++r)
        if constexpr (protection("v_descale")) probabilities[block][r] *= of_key[block][r / 4][r % 4];
    const float carried = largest_weight_ * factor;
    largest_weight_ = maximum(carried, column_maximum(probabilities));
    if (__builtin_amdgcn_ballot_w64(largest_weight_ > carried) != 0) {
      const float ratio = protection("v_descale_ratio") ? carried * __builtin_amdgcn_rcpf(largest_weight_)
                                                        : largest_weight_ * __builtin_amdgcn_rcpf(carried);
      for (auto& block : output) block *= ratio;
    }
    const float to_peak = __builtin_amdgcn_rcpf(largest_weight_) * (1 << Variant::peak);
    for (auto& block : probabilities) block *= to_peak;
  }

  float score_scale_, cap_scale_;
  OnlineSoftmax sums_;
  // Larger than 0 before there is any key: descales of V have this much room below 1.
  float largest_weight_ = 0x1p-100f;
};

} // namespace fmha950::baseline
