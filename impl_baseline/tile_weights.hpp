#pragma once
// Where all keys of a tile have one descale of V: the weights of value_weights.hpp, w = P * descale, straight from scores. A
// weight is a score with log2 of the descale added to its exponent, so that no P is made to be multiplied. Their sum is that of
// P times one factor per tile, and goes into the denominator as P's.
//
// All in log2: the unit N, and the reference of the denominator, which moves by itself. Descales are positive and normal
// (operators/paged/check_descales.cpp). The functions have the names that LazySoftmax gives those for P.

#include "attention/lazy_softmax.hpp"
#include "gfx950/mutant.hpp"
#include "impl_baseline/variant.hpp"

namespace fmha950::baseline {

template <class Variant> class TileWeights {
 public:
  using Output = Float16[Variant::column_blocks];
  static constexpr float shift = 0; // of the denominator's reference

  // Takes in a tile's largest score (times `scale`: base 2) and its descale of V; `output` follows the unit.
  FMHA950_INLINE void follow(float largest, float scale, float descale, int tiles_before, Output& output) {
    const float of_tile = protection("v_descale") ? log2_fast(descale) : 0;
    reference_.follow_if_grown(largest, scale, tiles_before,
                               [&] { sums_ *= multiplier(reference_.factor(), "sum_rescaled"); });
    follow_unit(__builtin_fmaf(largest, scale, of_tile), tiles_before, output);
    offset_ = of_tile + (Variant::peak - unit_);
    to_sum_ = exp2_fast(-(offset_ + reference_.reference()));
    of_tile_ = {0, 0};
  }

  FMHA950_INLINE Float2 exponents(Float2 scores, float scale) const {
    return __builtin_elementwise_fma(scores, Float2{scale, scale}, Float2{offset_, offset_});
  }
  FMHA950_INLINE Float2 probabilities(Float2 exponents) {
    const Float2 w = {exp2_fast(exponents[0]), exp2_fast(exponents[1])};
    of_tile_ += w;
    return w;
  }
  // All weights of the tile have been made.
  FMHA950_INLINE void end_tile() {
    sums_ = __builtin_elementwise_fma(of_tile_, Float2{to_sum_, to_sum_}, sums_);
  }

  FMHA950_INLINE float reference() const { return reference_.reference(); }
  FMHA950_INLINE float denominator() const {
    return across_halves(sums_[0] + sums_[1], [](float a, float b) { return a + b; });
  }
  // What one unit of the output is worth in that of the denominator.
  FMHA950_INLINE float unit() const { return exp2_fast(unit_ - Variant::peak - reference()); }

 private:
  // N follows the largest weight up and down: beyond it weights would overflow, far below it vanish.
  FMHA950_INLINE void follow_unit(float largest, int tiles_before, Output& output) {
    row_ = maximum(row_, largest);
    const float above_unit = largest - unit_;
    const float tolerated = tiles_before < attention::LazyReference<0>::exact_tiles ? 0 : Variant::threshold;
    const bool above = above_unit > tolerated && protection("unit_follows_up");
    const bool far_below = above_unit < -4 && protection("unit_follows_down");
    if (__builtin_amdgcn_ballot_w64(above || far_below) == 0) [[likely]]
      return;
    // Bounded from below, so that the output stays finite however small a tile's weights are.
    const float bounded = protection("unit_bounded_by_row") ? maximum(largest, row_ - 60) : largest;
    const float next = above || far_below ? bounded : unit_;
    const float ratio = exp2_fast(protection("v_descale_ratio") ? unit_ - next : next - unit_);
    for (auto& block : output) block *= ratio;
    unit_ = next;
  }

  attention::LazyReference<0, 4.0f> reference_;
  Float2 sums_ = {0, 0}; // of this lane's keys, two partial sums
  float unit_ = protection("unit_bounded") ? -__FLT_MAX__ : negative_infinity; // N
  float row_ = -__FLT_MAX__; // of all tiles so far, the largest
  float offset_, to_sum_;    // of the tile: what a score becomes a weight by, and weights P
  Float2 of_tile_;
};

} // namespace fmha950::baseline
