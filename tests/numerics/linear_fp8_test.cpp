// P whose fp8 code is linear in its logarithm: its error over an octave, against the formulas in double.
#include "numerics/linear_fp8.hpp"

#include "numerics/formats.hpp"
#include "tests/support/catch.hpp"

#include <limits>

using namespace fmha950::numerics;

namespace {

struct Errors {
  double mean = 0, deviation = 0, largest = 0; // of P over what it should be; the others in units of the mean
};

// Over one octave of P, by codes that `round` makes of 8 log2 P.
Errors errors_by(double (*round)(double)) {
  constexpr int points = 400'000;
  const auto ratio = [&](int point) {
    const double octaves = 8 + (point + 0.5) / points, code = round(8 * octaves),
                 whole = std::floor(code / 8);
    return std::ldexp(1 + (code / 8 - whole), static_cast<int>(whole)) / std::exp2(octaves);
  };
  Errors errors;
  for (int point = 0; point < points; ++point) errors.mean += ratio(point) / points;
  double squares = 0;
  for (int point = 0; point < points; ++point) {
    const double error = ratio(point) / errors.mean - 1;
    squares += error * error / points;
    errors.largest = std::max(errors.largest, std::fabs(error));
  }
  errors.deviation = std::sqrt(squares);
  return errors;
}

} // namespace

TEST_CASE("linear fp8: mean, RMS and largest error over an octave, to nearest and truncated") {
  const Errors nearest = errors_by([](double x) { return std::nearbyint(x); }),
               truncated = errors_by([](double x) { return std::floor(x); });
  CHECK(nearest.mean == Approx(linear_fp8::mean_to_nearest).epsilon(1e-5));
  CHECK(truncated.mean == Approx(linear_fp8::mean_truncated).epsilon(1e-5));
  for (const Errors& errors : {nearest, truncated}) {
    CHECK(errors.deviation == Approx(linear_fp8::deviation).epsilon(1e-3));
    CHECK(errors.largest == Approx(linear_fp8::bound).epsilon(1e-3));
  }
}

TEST_CASE("linear fp8: codes are whole eighths of an octave, clamped to what is a number") {
  for (int code = 8; code <= 126; ++code) {
    const auto x = static_cast<float>(std::exp2((code - 56) / 8.0));
    CHECK(linear_fp8_from_f32(x) == code);
    CHECK(linear_fp8_from_f32(x * 1.04f) == code); // a half step is 1.044
    CHECK(linear_fp8_from_f32(x / 1.04f) == code);
  }
  for (int power = -6; power <= 8; ++power)
    CHECK(f32_from_fp8(linear_fp8_from_f32(std::ldexp(1.0f, power))) == std::ldexp(1.0f, power));
  CHECK(linear_fp8_from_f32(std::ldexp(1.0f, -7)) == 0);
  CHECK(linear_fp8_from_f32(0) == 0);
  CHECK(linear_fp8_from_f32(1e6f) == 126);
  CHECK(linear_fp8_from_f32(std::numeric_limits<float>::infinity()) == 126);
}
