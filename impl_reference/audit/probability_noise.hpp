#pragma once
// How wrong P may be once it is rounded to a type (DESIGN.md section 7, "Noise"). `relative` is P over the
// row's largest.

#include "interface/oracle.hpp"

#include <algorithm>

namespace fmha950::reference::FMHA950_SIMD {

// Throws InvalidInput for a type that is none of P's.
class ProbabilityNoise {
 public:
  explicit ProbabilityNoise(const ProbabilityRounding& rounding);

  // RMS and largest relative error. Normal numbers have those of the type; smaller numbers have a step / sqrt(12)
  // and half a step, over P.
  float deviation(float relative) const {
    return std::max(normal_deviation_, std::min(1.0f, subnormal_deviation_ / relative));
  }
  float bound(float relative) const { return std::max(normal_bound_, std::min(1.0f, half_step_ / relative)); }
  float normal_bound() const { return normal_bound_; }

  bool vanishes(float relative) const { return relative < half_step_; } // rounds to 0
  bool subnormal(float relative) const { return relative < least_normal_; }
  float least_normal() const { return least_normal_; }

 private:
  float normal_deviation_, normal_bound_;                // relative to P
  float subnormal_deviation_, half_step_, least_normal_; // relative to the row's largest P
};

} // namespace fmha950::reference::FMHA950_SIMD
