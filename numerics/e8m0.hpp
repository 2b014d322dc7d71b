#pragma once
// E8M0: the scale of OCP microscaling, 2^(code-127); 0xFF is NaN. Code 0 is 2^-127, an f32 subnormal.
#include "numerics/minifloat.hpp"

namespace fmha950::numerics {

inline constexpr uint8_t e8m0_nan = 0xff;

FMHA950_NUMERIC float f32_from_e8m0(uint8_t code) {
  const uint32_t bits = code == 0 ? 0x00400000u : uint32_t(code) << 23;
  return float_of(code == e8m0_nan ? f32_infinity | f32_quiet_bit : bits);
}

/// The largest power of two <= |x|, clamped to 2^-127 from below; NaN and infinity give NaN.
FMHA950_NUMERIC uint8_t e8m0_floor_from_f32(float x) { return uint8_t(bits_of(x) >> 23); }

/// x * 2^(a-127) * 2^(b-127), rounded once (only an f32 subnormal result rounds);
/// a NaN scale gives 0x7FC00000.
FMHA950_NUMERIC float scaled_by_e8m0(float x, uint8_t a, uint8_t b = 127) {
  const uint64_t power = uint64_t(1023 - 254 + a + b) << 52; // as f64, where no product of the two can round
  const float product = float(double(x) * __builtin_bit_cast(double, power));
  return a == e8m0_nan || b == e8m0_nan ? float_of(f32_infinity | f32_quiet_bit) : product;
}

} // namespace fmha950::numerics
