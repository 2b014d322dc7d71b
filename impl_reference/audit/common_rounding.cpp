#include "impl_reference/audit/common_rounding.hpp"

#include "numerics/formats.hpp"
#include "numerics/linear_fp8.hpp"

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <numeric>

namespace fmha950::reference::FMHA950_SIMD {
namespace {

constexpr int fp8_mantissa_bits = 3;

// By rounding a significand to fp8, to the nearest.
double rounding_error(double significand) {
  const double steps = std::ldexp(significand, fp8_mantissa_bits - std::ilogb(significand));
  return std::nearbyint(steps) / steps - 1;
}

// By a code that is linear in the logarithm, about the mean error, which a sum of the same P takes with it.
double linear_error(double significand) {
  const double rounded =
      numerics::f32_from_fp8(numerics::linear_fp8_from_f32(static_cast<float>(significand)));
  return rounded / significand / numerics::linear_fp8::mean_to_nearest - 1;
}

constexpr int classes = 256;    // of significands, from 1 to 2
constexpr int factors = 64;     // from 1 to 2: others do the same
constexpr int factor_keys = 64; // that have a factor in common

using PerFactor = Eigen::Array<float, factors, 1>;
using Errors = Eigen::Array<float, factors, classes>; // a class in the middle, by factor

Errors errors_of_classes(double (*relative_error)(double significand)) {
  Errors errors;
  for (int one = 0; one < classes; ++one)
    for (int factor = 0; factor < factors; ++factor)
      errors(factor, one) = static_cast<float>(
          relative_error((1 + (one + 0.5) / classes) * std::exp2(double(factor) / factors)));
  return errors;
}

int class_of(float x) {
  constexpr int mantissa_bits = 23;
  const uint32_t mantissa = std::bit_cast<uint32_t>(x) & ((1U << mantissa_bits) - 1);
  return static_cast<int>(mantissa / ((1U << mantissa_bits) / classes));
}

} // namespace

CommonRounding::CommonRounding(const ProbabilityRounding& rounding)
    : noise_(rounding), by_class_(rounding.type == ElementType::fp8), linear_(rounding.linear) {}

double CommonRounding::of(std::span<const float> shares, std::span<const float> relative) const {
  static const Errors of_rounding = errors_of_classes(rounding_error),
                      of_linear = errors_of_classes(linear_error);
  const Errors& errors = linear_ ? of_linear : of_rounding;
  constexpr float between_factors = 1.2F; // the worst factor is a hundredth off one that is looked at
  if (!by_class_) return noise_.normal_bound() * std::reduce(shares.begin(), shares.end(), 0.0);
  double sum = 0;
  for (size_t first = 0; first < shares.size(); first += factor_keys) {
    PerFactor error = PerFactor::Zero();
    float of_tile = 0;
    for (size_t key = first; key < std::min(shares.size(), first + factor_keys); ++key) {
      if (!(shares[key] > 0)) continue;
      if (noise_.subnormal(relative[key])) {
        sum += shares[key] * noise_.bound(relative[key]);
        continue;
      }
      error += shares[key] * errors.col(class_of(relative[key]));
      of_tile += shares[key];
    }
    if (of_tile > 0)
      sum += std::min(between_factors * error.abs().maxCoeff(), noise_.normal_bound() * of_tile);
  }
  return sum;
}

} // namespace fmha950::reference::FMHA950_SIMD
