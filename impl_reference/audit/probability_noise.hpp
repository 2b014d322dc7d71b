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
  float deviation(float relative) const { return error(relative, normal_deviation_, subnormal_deviation_); }
  float bound(float relative) const { return error(relative, normal_bound_, half_step_); }
  float normal_bound() const { return normal_bound_; }

  bool vanishes(float relative) const { return relative < vanishing_; } // rounds to 0
  bool subnormal(float relative) const { return relative < least_normal_; }
  float least_normal() const { return least_normal_; }

 private:
  void set_linear();
  float error(float relative, float normal, float subnormal) const {
    return relative < unknown_ ? 1 : std::max(normal, std::min(1.0f, subnormal / relative));
  }

  float normal_deviation_, normal_bound_; // relative to P
  // Relative to the row's largest P.
  float subnormal_deviation_, half_step_, vanishing_, least_normal_;
  float unknown_ = 0; // below it P may be anything between 0 and what it should be
};

} // namespace fmha950::reference::FMHA950_SIMD
