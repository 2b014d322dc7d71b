#pragma once
// What the codes of the small formats stand for, from mfma_gfx950.md sections 3.1 and 3.3 and in float64: the
// probes of instructions do not lean on the embedded device's own conversions.

#include <cmath>
#include <cstdint>
#include <limits>

namespace fmha950::instruction {

constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

inline double value_of_fp8(uint8_t code) { // e4m3fn: bias 7, subnormals of 2^-9, no infinity
  const int exponent = code >> 3 & 15, mantissa = code & 7;
  if ((code & 0x7F) == 0x7F) return nan_value;
  const double magnitude = exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
  return code & 0x80 ? -magnitude : magnitude;
}

inline double value_of_e8m0(uint8_t code) { return code == 255 ? nan_value : std::ldexp(1.0, code - 127); }

inline double value_of_bf16(uint16_t code) { // the upper half of an fp32
  const int exponent = code >> 7 & 255, mantissa = code & 127;
  if (exponent == 255) return mantissa == 0 ? (code >> 15 ? -HUGE_VAL : HUGE_VAL) : nan_value;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -133) : std::ldexp(128 + mantissa, exponent - 134);
  return code >> 15 ? -magnitude : magnitude;
}

} // namespace fmha950::instruction
