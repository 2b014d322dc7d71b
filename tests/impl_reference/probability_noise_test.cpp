// The model of P's rounding against the formats themselves: every interval between two codes of fp8, bf16 and
// fp16, and what the row judge and the audit take from it.
#define FMHA950_SIMD simd_baseline // any: the arithmetic is scalar
#include "impl_reference/audit/probability_noise.hpp"

#include "interface/error.hpp"
#include "numerics/formats.hpp"

#include "tests/support/catch.hpp"
#include <cmath>

using namespace fmha950;
using fmha950::reference::simd_baseline::ProbabilityNoise;

namespace {

double rounded(ElementType type, double x) {
  using namespace numerics;
  const auto value = static_cast<float>(x);
  switch (type) {
  case ElementType::fp8: return f32_from_fp8(fp8_from_f32(value, true));
  case ElementType::fp16: return f32_from_f16(f16_from_f32(value));
  default: return f32_from_bf16(bf16_from_f32(value));
  }
}

// RMS relative error over a range whose logarithm is spread evenly.
double rms_error(ElementType type, double first, double last) {
  constexpr int steps = 200'000;
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double x = first * std::pow(last / first, (i + 0.5) / steps);
    const double error = (rounded(type, x) - x) / x;
    sum += error * error;
  }
  return std::sqrt(sum / steps);
}

// The largest relative error between neighbouring numbers, which is halfway, and right above the middle
// nothing is worse.
void check_bound(const ProbabilityNoise& noise, double shift, double below, double above) {
  const double middle = (below + above) / 2;
  const auto relative = static_cast<float>(middle * std::exp2(-shift));
  const double error = (above - below) / 2 / middle;
  if (error > noise.bound(relative) * (1 + 1e-6)) FAIL("bound at " << middle << " is too small");
}

} // namespace

TEST_CASE("P's noise: the RMS error of normal numbers") {
  for (const auto& [type, known] :
       {std::pair(ElementType::fp8, 0.0265), {ElementType::bf16, 0.00166}, {ElementType::fp16, 0.000207}}) {
    const ProbabilityNoise noise({.type = type});
    CHECK(noise.deviation(1) == Approx(rms_error(type, 0.5, 1)).epsilon(0.01));
    CHECK(noise.deviation(1) == Approx(known).epsilon(0.01)); // DESIGN.md section 7
  }
}

TEST_CASE("P's noise: the largest error of normal numbers") {
  CHECK(ProbabilityNoise({.type = ElementType::fp8}).normal_bound() == Approx(1.0 / 17));
  CHECK(ProbabilityNoise({.type = ElementType::bf16}).normal_bound() == Approx(1.0 / 257));
  CHECK(ProbabilityNoise({.type = ElementType::fp16}).normal_bound() == Approx(1.0 / 2049));
}

TEST_CASE("P's noise: no interval between two codes holds a larger error than the bound") {
  for (const float shift : {0.0f, 8.0f}) {
    const ProbabilityNoise fp8({.type = ElementType::fp8, .shift = shift});
    for (int code = 0; numerics::f32_from_fp8(uint8_t(code)) < std::exp2(shift); ++code)
      check_bound(fp8, shift, numerics::f32_from_fp8(uint8_t(code)),
                  numerics::f32_from_fp8(uint8_t(code + 1)));
  }
  const ProbabilityNoise fp16({.type = ElementType::fp16}), bf16({.type = ElementType::bf16});
  for (int code = 0; numerics::f32_from_f16(uint16_t(code)) < 1; ++code)
    check_bound(fp16, 0, numerics::f32_from_f16(uint16_t(code)), numerics::f32_from_f16(uint16_t(code + 1)));
  for (int code = 0x0100; numerics::f32_from_bf16(uint16_t(code)) < 1; ++code) // no numbers below 2^-125
    check_bound(bf16, 0, numerics::f32_from_bf16(uint16_t(code)),
                numerics::f32_from_bf16(uint16_t(code + 1)));
}

TEST_CASE("P's noise: below the normal numbers the step counts, and the shift moves them") {
  for (const float shift : {0.0f, 8.0f}) {
    const ProbabilityNoise noise({.type = ElementType::fp8, .shift = shift});
    const auto at = [&](double x) { return static_cast<float>(x * std::exp2(-shift)); };
    CHECK(noise.least_normal() == at(std::exp2(-6)));
    CHECK(noise.subnormal(at(0.0156)));
    CHECK_FALSE(noise.subnormal(at(0.0157)));
    // Of uniform numbers in one step, at its middle: 1 / sqrt(12) of 2^-9.
    for (const int step : {2, 3, 4, 5, 6, 7}) {
      const double middle = (step + 0.5) * std::exp2(-9);
      double sum = 0;
      for (int i = 0; i < 1000; ++i) {
        const double x = (step + (i + 0.5) / 1000) * std::exp2(-9);
        sum += std::pow(rounded(ElementType::fp8, x) - x, 2);
      }
      CHECK(noise.deviation(at(middle)) == Approx(std::sqrt(sum / 1000) / middle).epsilon(0.01));
    }
    // Less than half a step is nothing: all of it is lost.
    CHECK(noise.vanishes(at(0.99 * std::exp2(-10))));
    CHECK(rounded(ElementType::fp8, 0.99 * std::exp2(-10)) == 0);
    CHECK(noise.bound(at(0.99 * std::exp2(-10))) == 1);
    CHECK(noise.deviation(at(0.5 * std::exp2(-10))) == 1);
    CHECK_FALSE(noise.vanishes(at(1.01 * std::exp2(-10))));
    CHECK(rounded(ElementType::fp8, 1.01 * std::exp2(-10)) > 0);
  }
}

TEST_CASE("P's noise: a type that is none of P's is refused") {
  CHECK_THROWS_WITH(ProbabilityNoise({.type = ElementType::int32}),
                    "P type = int32: must be bf16, fp16, fp8 or fp32");
}

TEST_CASE("P's noise: of codes that are linear in the logarithm") {
  const ProbabilityNoise noise({.type = ElementType::fp8, .shift = 8, .sum_rounded = true, .linear = true});
  CHECK(noise.deviation(1) == Approx(0.0314).epsilon(0.01));
  CHECK(noise.bound(1) == Approx(0.0796).epsilon(0.01));
  // Normal numbers have the same noise down to the least one; below it nothing is known, and a code of 0 is nothing.
  const float least = std::exp2(-6.0f - 8);
  CHECK(noise.least_normal() == least);
  CHECK(noise.deviation(least) == noise.deviation(1));
  CHECK(noise.deviation(least * 0.99f) == 1);
  CHECK(noise.bound(least * 0.99f) == 1);
  CHECK(noise.vanishes(least * 0.49f));
  CHECK_FALSE(noise.vanishes(least * 0.51f));
}
