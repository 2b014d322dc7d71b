#pragma once
// From a tile's scores to its P: descales of K, soft cap, running maximum and sum; tile_weights.hpp and value_weights.hpp have
// the descales of V.

#include "attention/lazy_softmax.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/waits.hpp"
#include "impl_baseline/key_descales.hpp"
#include "impl_baseline/tile_weights.hpp"

namespace fmha950::baseline {

template <class Variant, Descales> struct SoftmaxOf {
  using Type = attention::LazySoftmax<Variant::shift, Variant::threshold>;
};
template <class Variant> struct SoftmaxOf<Variant, Descales::page_of_tile> {
  using Type = TileWeights<Variant>;
};
template <class Variant> struct SoftmaxOf<Variant, Descales::page_of_key> {
  using Type = attention::RelativeSoftmax; // P is not rounded
};

template <class Variant> class TileSoftmax {
 public:
  using Scores = Float16[Variant::key_blocks];
  using Softmax = typename SoftmaxOf<Variant, Variant::descales>::Type;

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
    bool needed;  // the same for the wave
    float factor; // of what was accumulated for a smaller maximum; 1 where not needed
  };
  // Takes in a tile's largest score. Then blocks of its scores may become P.
  FMHA950_INLINE Rescale follow(const Scores& scores, int tiles_before) {
    softmax_.follow_if_grown(column_maximum(scores), scale(), tiles_before);
    return {softmax_.rescaled(), softmax_.rescaled() ? softmax_.factor() : 1};
  }
  // Where a tile has a descale of V: then they may become weights, until end_tile(). `output` follows their unit.
  FMHA950_INLINE void follow(const Scores& scores, int tiles_before, float v_descale,
                             Float16 (&output)[Variant::column_blocks]) {
    softmax_.follow(column_maximum(scores), scale(), v_descale, tiles_before, output);
  }
  // Scores become P or weights, whose sum is taken. All exponents come first, by packed instructions, which clang takes apart where it
  // may move them behind a matrix instruction.
  FMHA950_INLINE void soften(Float16& block) {
    for (int r = 0; r < 16; r += 2)
      put(block, r, softmax_.exponents(Float2{block[r], block[r + 1]}, scale()));
    for (int r = 0; r < 16; r += 2) put(block, r, softmax_.probabilities(Float2{block[r], block[r + 1]}));
  }
  FMHA950_INLINE void end_tile() { softmax_.end_tile(); }
  FMHA950_INLINE float value_unit() const { return softmax_.unit(); } // of the weights' products

  struct Result {
    float output_factor, lse; // natural log
  };
  // `sink`: natural-log score of one more key, whose value is zero; -inf for none. A query that saw nothing
  // has an output of 0 and the LSE of its sink.
  FMHA950_INLINE Result finish(float sink) const {
    // The sum is in units of 2^reference, where the maximum was lowered by the shift: that cancels here.
    const float reference = softmax_.reference() + (protection("shift_cancelled") ? 0 : Softmax::shift);
    const float sink2 = sink_in_base_2(sink);
    const float top = protection("sink_in_maximum") ? maximum(reference, sink2) : reference;
    const float keys = exp2_fast(reference - top);
    const float sum_of_keys = softmax_.denominator() * keys;
    const float sum = sum_of_keys + summand(exp2_fast(sink2 - top), "sink_in_denominator");
    const float sum_of_lse = protection("sink_in_lse") ? sum : sum_of_keys;
    const float factor = keys * __builtin_amdgcn_rcpf(sum);
    return {sum == 0 && protection("nothing_seen") ? 0 : factor,
            natural_lse(top + log2_fast(sum_of_lse)) * lse_unit_};
  }

 private:
  static FMHA950_INLINE void put(Float16& block, int r, Float2 pair) {
    block[r] = pair[0];
    block[r + 1] = pair[1];
  }
  FMHA950_INLINE float scale() const {
    if constexpr (Variant::descales == Descales::page_of_tile)
      return tile_scale_;
    else
      return score_scale_;
  }

  float score_scale_, cap_scale_;
  float tile_scale_, key_scale_ = 1; // with the descale of a tile
  float lse_unit_ = 1;               // 1 / K's descale without lse_descale
  Softmax softmax_;
};

} // namespace fmha950::baseline
