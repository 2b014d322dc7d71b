#pragma once
// How much all of a row may be wrong because roundings of its P point the same way. A kernel rounds P times a
// factor of its own: the row's largest P so far, a shift, a descale, another one for every tile of keys. So
// the error is the worst over all factors, tile by tile: if all P are alike, it is what the type allows; if P
// are spread over an octave, it is next to nothing.

#include "impl_reference/audit/probability_noise.hpp"

#include <span>

namespace fmha950::reference::FMHA950_SIMD {

class CommonRounding {
 public:
  explicit CommonRounding(const ProbabilityRounding& rounding);

  // The common rounding of a row. `shares`: of the sum; `relative`: what is rounded, over the row's largest.
  // Only some factors are looked at, so the result may be too small by up to one deviation of the row's random
  // noise. Limits contain six more such deviations.
  double of(std::span<const float> shares, std::span<const float> relative) const;

 private:
  ProbabilityNoise noise_;
  bool by_class_; // of a type so coarse that it matters
  bool linear_;
};

} // namespace fmha950::reference::FMHA950_SIMD
