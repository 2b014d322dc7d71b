#pragma once
// Online softmax in base 2 over transposed scores, in the pieces that the phases of the pipeline take one by
// one. A lane owns one query (column l % 32 of S^T) and holds half of the tile's keys, the lane 32 further on
// the other half.

#include "gfx950/convert.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/online_softmax.hpp"
#include "gfx950/waits.hpp"

namespace fmha950::attention {

using namespace gfx950;

// P = 2^(s - reference), reference = (a maximum of the row) - shift: probabilities use the range of fp8,
// whose largest value is 448, and the factor 2^shift cancels against the denominator. The reference only
// follows a maximum that has grown by more than `threshold`: shift + threshold <= log2(448) = 8.807, or P
// would be NaN. In a row's first tiles it follows exactly, as most of these raise some maximum of the wave:
// where there are few keys, their P is rounded relative to the true maximum, as a plain implementation's is.
// Without a shift P is not fp8: any threshold will do that leaves sums and outputs room in fp32.
template <int Shift, float Threshold = 0.8f> class LazyReference {
 public:
  static constexpr float shift = Shift;
  static constexpr int exact_tiles = 4;
  static constexpr float threshold = protection("threshold") ? Threshold : 2.0f;

  // Takes in a tile's largest score (times `scale`: base 2). Where one query of the wave must be rescaled, the
  // others come along to their exact maxima: the multiplication of the output is paid for anyway.
  FMHA950_INLINE void follow(float largest, float scale, int tiles_before) {
    const float maximum = largest * scale;
    rescaled_ = has_grown(largest, scale, tiles_before);
    const float higher = rescaled_ ? __builtin_fmaxf(reference_, maximum - shift) : reference_;
    factor_ = exp2_fast(reference_ - higher);
    reference_ = higher;
  }
  // The same with a branch: most tiles take two instructions. For where no matrix instructions stand beside it. `moved`: what else
  // follows the reference.
  template <class Moved>
  FMHA950_INLINE void follow_if_grown(float largest, float scale, int tiles_before, Moved moved) {
    rescaled_ = has_grown(largest, scale, tiles_before);
    if (!rescaled_) [[likely]]
      return;
    const float higher = __builtin_fmaxf(reference_, largest * scale - shift);
    factor_ = exp2_fast(reference_ - higher);
    reference_ = higher;
    moved();
    pin_state();
  }
  // What the last follow() decided: whether any query of the wave is rescaled, and if so this lane's factor for
  // what was accumulated.
  FMHA950_INLINE bool rescaled() const { return rescaled_; }
  FMHA950_INLINE float factor() const { return factor_; }

  FMHA950_INLINE void pin_state() {
    pin(reference_);
    pin(factor_);
  }

  FMHA950_INLINE bool saw_nothing() const { return reference_ == -__FLT_MAX__; }
  FMHA950_INLINE float reference() const { return reference_; }
  FMHA950_INLINE float lse(float denominator) const { // base 2
    return reference_ + log2_fast(denominator) + (protection("shift_cancelled") ? 0 : shift);
  }

 private:
  // Of any query of the wave.
  FMHA950_INLINE bool has_grown(float largest, float scale, int tiles_before) const {
    const float maximum = largest * scale;
    const float tolerated = shift + (tiles_before < exact_tiles ? 0 : threshold);
    // The exponent that P gets. One from the rounded maximum would be too low where scores are large.
    const float exponent = __builtin_fmaf(largest, scale, -reference_);
    const bool grown = protection("large_scores") ? exponent > tolerated : maximum > reference_ + tolerated;
    return __builtin_amdgcn_ballot_w64(grown) != 0;
  }

  // Finite, so that a tile that hides every key gives exp2(-inf - reference) = 0 and not NaN.
  float reference_ = protection("reference_finite") ? -__FLT_MAX__ : negative_infinity;
  float factor_ = 1;
  bool rescaled_ = false;
};

// P by v_exp, summed as it is before it is rounded.
template <int Shift, float Threshold = 0.8f> class LazySoftmax : public LazyReference<Shift, Threshold> {
  using Base = LazyReference<Shift, Threshold>;

 public:
  static constexpr bool has_exponentials = true;
  FMHA950_INLINE void follow(float largest, float scale, int tiles_before) {
    Base::follow(largest, scale, tiles_before);
    if constexpr (protection("sum_rescaled")) sums_ *= this->factor();
  }
  FMHA950_INLINE void follow_if_grown(float largest, float scale, int tiles_before) {
    Base::follow_if_grown(largest, scale, tiles_before, [] {});
    if (this->rescaled() && protection("sum_rescaled")) sums_ *= this->factor();
  }

  // Two probabilities, and how a caller rounds four to fp8.
  FMHA950_INLINE Float2 probabilities(Float2 scores, float scale) {
    const Float2 p = {exp2_fast(__builtin_fmaf(scores[0], scale, -this->reference())),
                      exp2_fast(__builtin_fmaf(scores[1], scale, -this->reference()))};
    sums_ += p;
    return p;
  }

  // The two steps of it apart.
  FMHA950_INLINE Float2 exponents(Float2 scores, float scale) const {
    return __builtin_elementwise_fma(scores, Float2{scale, scale},
                                     Float2{-this->reference(), -this->reference()});
  }
  FMHA950_INLINE Float2 probabilities(Float2 exponents) {
    const Float2 p = {exp2_fast(exponents[0]), exp2_fast(exponents[1])};
    sums_ += p;
    return p;
  }

  static FMHA950_INLINE uint32_t round(float a, float b, float c, float d) {
    return round_to_fp8(a, b, c, d);
  }

  // Sums are of P before it is rounded, and rescaled as the reference moves.
  FMHA950_INLINE void sum(const Word4 (&)[2]) {}
  FMHA950_INLINE void rescale_sums() {}

  FMHA950_INLINE void pin_state() {
    Base::pin_state();
    pin(sums_);
  }
  FMHA950_INLINE void pin_sums() {}

  FMHA950_INLINE float denominator() const {
    return across_halves(sums_[0] + sums_[1], [](float a, float b) { return a + b; });
  }
  FMHA950_INLINE float own_sum() const { return sums_[0] + sums_[1]; } // of this lane's keys

 private:
  Float2 sums_ = {0, 0}; // of this lane's keys, two partial sums
};

// For P in bf16 or fp16, whose rounding is relative to P: after the first tiles the reference follows the
// maximum only where P would be larger than 16, so that outputs are hardly ever rescaled.
using RelativeSoftmax = LazySoftmax<0, 4.0f>;

} // namespace fmha950::attention
