#pragma once
// P whose OCP e4m3 code is made straight from its logarithm (impl_pipelined/direct_softmax.hpp; v_cvt_pk_u8_f32 of
// 8 (log2 P + 7)): a code is a number of eighths of an octave, so P is linear between powers of two.

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace fmha950::numerics {

namespace linear_fp8 {
inline constexpr float steps = 8, code_of_one = 56; // per octave; of 1
inline constexpr float largest_code = 126;          // 448; 127 is NaN
// By exhaustion over an octave, in units of the mean error, under rounding to nearest as under truncation
// (tests/numerics/linear_fp8_test.cpp): RMS and largest error relative to P.
inline constexpr double deviation = 0.03142, bound = 0.07955;
// What P is in the mean, over what it should be.
inline constexpr double mean_to_nearest = 1.04036, mean_truncated = 0.99625;
} // namespace linear_fp8

// The code of x >= 0, rounded to nearest. Truncation is the same of a P 2^(1/16) smaller.
inline uint8_t linear_fp8_from_f32(float x) {
  const float code = std::log2(x) * linear_fp8::steps + linear_fp8::code_of_one;
  return static_cast<uint8_t>(std::nearbyint(std::clamp(code, 0.0f, linear_fp8::largest_code)));
}

} // namespace fmha950::numerics
