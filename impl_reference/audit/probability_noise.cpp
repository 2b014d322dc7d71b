#include "impl_reference/audit/probability_noise.hpp"

#include "interface/error.hpp"
#include "interface/names.hpp"
#include "numerics/linear_fp8.hpp"

#include <cmath>
#include <numbers>

namespace fmha950::reference::FMHA950_SIMD {
namespace {

struct Format {
  int mantissa_bits, least_exponent; // of a normal number
};

Format format_of(ElementType type) {
  switch (type) {
  case ElementType::bf16: return {7, -126};
  case ElementType::fp16: return {10, -14};
  case ElementType::fp8: return {3, -6}; // OCP e4m3fn
  case ElementType::fp32: return {23, -126};
  default: break;
  }
  throw InvalidInput("P type", std::string(name_of(type)), "must be bf16, fp16, fp8 or fp32");
}

} // namespace

ProbabilityNoise::ProbabilityNoise(const ProbabilityRounding& rounding) {
  const Format format = format_of(rounding.type);
  const double half_step = std::ldexp(1.0, -format.mantissa_bits - 1); // of numbers from 1 to 2
  // An error is anywhere in half a step; logarithms of P are spread evenly: the mean of 1 / x^2 over
  // [1, 2) with density 1 / x is 3 / (8 ln 2).
  normal_deviation_ = static_cast<float>(half_step / std::sqrt(3.0) * std::sqrt(3 / (8 * std::numbers::ln2)));
  normal_bound_ = static_cast<float>(half_step / (1 + half_step));
  const double least_step =
      std::ldexp(1.0, format.least_exponent - format.mantissa_bits) * std::exp2(-rounding.shift);
  subnormal_deviation_ = static_cast<float>(least_step / std::sqrt(12.0));
  half_step_ = vanishing_ = static_cast<float>(least_step / 2);
  least_normal_ = static_cast<float>(std::ldexp(least_step, format.mantissa_bits));
  if (rounding.linear) set_linear();
}

// In eighths of an octave, about the mean, which cancels. Below the normal numbers an octave is all that there is, and
// ends at zero: there nothing is known of P.
void ProbabilityNoise::set_linear() {
  normal_deviation_ = static_cast<float>(numerics::linear_fp8::deviation);
  normal_bound_ = static_cast<float>(numerics::linear_fp8::bound);
  subnormal_deviation_ = half_step_ = 0;
  unknown_ = least_normal_;
  vanishing_ = least_normal_ / 2;
}

} // namespace fmha950::reference::FMHA950_SIMD
