#pragma once
// From a tile's scores to its P: descales of K, soft cap, running maximum and sum; value_weights.hpp has the
// descales of V.

#include "gfx950/mutant.hpp"
#include "gfx950/online_softmax.hpp"
#include "gfx950/waits.hpp"
#include "impl_baseline/key_descales.hpp"

namespace fmha950::baseline {

template <class Variant> class TileSoftmax {
 public:
  using Scores = Float16[Variant::key_blocks];

  FMHA950_INLINE TileSoftmax(const AttentionArguments& arguments)
      : score_scale_(arguments.score_scale), cap_scale_(arguments.cap_scale) {}

  // `descales`: in LDS, one per key of the tile.
  FMHA950_INLINE void scale_by_key(Scores& scores, uint32_t descales) {
    KeyDescales<Variant> of_key;
    of_key.read(descales);
    wait_lds<0>("k_descales_read");
    pin(of_key.quads);
    if constexpr (protection("k_descale")) of_key.multiply(scores);
    if constexpr (!protection("lse_descale")) lse_unit_ = __builtin_amdgcn_rcpf(of_key.quads[0][0][0]);
  }

  // `descale`: K's of all keys of the tile, which goes into the scale instead.
  FMHA950_INLINE void scale_tile(float descale) {
    if constexpr (protection("k_descale")) key_scale_ = descale;
    // Not 0 however small it is: hidden keys have a score of minus infinity.
    tile_scale_ = cap_scale_ != 0 ? score_scale_ : maximum(score_scale_ * key_scale_, __FLT_MIN__);
    if constexpr (!protection("lse_descale")) lse_unit_ = __builtin_amdgcn_rcpf(descale);
  }

  // tanh(x) = 1 - 2 / (e^2x + 1), from 2 x log2(e): -1 and 1 where the exponential is 0 and infinite.
  FMHA950_INLINE void cap(Scores& scores) const {
    if (cap_scale_ != 0 && protection("soft_cap")) [[unlikely]]
      for (auto& block : scores)
        for (int r = 0; r < 16; ++r) {
          const float e = exp2_fast(block[r] * (cap_scale_ * key_scale_));
          block[r] = __builtin_fmaf(-2, __builtin_amdgcn_rcpf(e + 1), 1);
        }
  }

  struct Rescale {
    bool needed;   // the same for the wave
    float factor;  // of what was accumulated for a smaller maximum; 1 where not needed
    float largest; // P of the tile's largest score, only computed where used
  };
  // Takes in a tile's largest score. Then blocks of its scores may become P.
  FMHA950_INLINE Rescale follow(const Scores& scores) {
    // With page descales it is not P that is rounded (value_weights.hpp).
    constexpr int peak = Variant::page_descales ? 0 : Variant::peak;
    float factor = 1;
    const float largest = column_maximum(scores);
    const bool higher = sums_.follow(largest * scale() - peak, factor);
    // As probabilities() does it: no key's P is larger.
    return {higher, higher ? factor : 1, exp2_fast(__builtin_fmaf(largest, scale(), -sums_.reference))};
  }
  // Scores become P, whose sum is taken.
  FMHA950_INLINE void soften(Float16& block) {
    for (int r = 0; r < 16; r += 2) {
      const Float2 p = sums_.probabilities({block[r], block[r + 1]}, scale());
      block[r] = p[0];
      block[r + 1] = p[1];
    }
  }

  struct Result {
    float output_factor, lse; // natural log
  };
  // `sink`: natural-log score of one more key, whose value is zero; -inf for none. A query that saw nothing
  // has an output of 0 and the LSE of its sink.
  FMHA950_INLINE Result finish(float sink) const {
    // The sum is in units of 2^reference, where the maximum was lowered by the peak: that cancels here.
    const float reference = sums_.reference + (protection("shift_cancelled") ? 0 : Variant::peak);
    const float sink2 = sink_in_base_2(sink);
    const float top = protection("sink_in_maximum") ? maximum(reference, sink2) : reference;
    const float keys = exp2_fast(reference - top);
    const float sum_of_keys = sums_.denominator() * keys;
    const float sum = sum_of_keys + summand(exp2_fast(sink2 - top), "sink_in_denominator");
    const float sum_of_lse = protection("sink_in_lse") ? sum : sum_of_keys;
    const float factor = keys * __builtin_amdgcn_rcpf(sum);
    return {sum == 0 && protection("nothing_seen") ? 0 : factor,
            natural_lse(top + log2_fast(sum_of_lse)) * lse_unit_};
  }

 private:
  FMHA950_INLINE float scale() const {
    if constexpr (Variant::descales == Descales::page_of_tile)
      return tile_scale_;
    else
      return score_scale_;
  }

  float score_scale_, cap_scale_;
  float tile_scale_, key_scale_ = 1; // with the descale of a tile
  float lse_unit_ = 1;               // 1 / K's descale without lse_descale
  OnlineSoftmax sums_;
};

} // namespace fmha950::baseline
