#pragma once
// The 8-bit formats of gfx950: fp8 = OCP e4m3fn, bf8 = OCP e5m2. `saturate` is MODE.FP16_OVFL: with it
// anything beyond the largest finite value, infinity included, becomes +-max; without it fp8 gives NaN and
// bf8 infinity (facts 4.1, ISA4 section 7.3 table). "Beyond" is decided after rounding. `scale` is an E8M0
// exponent byte e: the value encoded is x / 2^(e-127), with one rounding (facts 4.2).
#include "numerics/minifloat.hpp"

namespace fmha950::numerics {

inline constexpr uint8_t e8m0_one = 127;

FMHA950_NUMERIC float f32_from_fp8(uint8_t code) { return decode<Fp8>(code); }
FMHA950_NUMERIC float f32_from_bf8(uint8_t code) { return decode<Bf8>(code); }

FMHA950_NUMERIC OutOfRange fp8_out_of_range(bool saturate) {
  const uint32_t nan = Fp8::magnitude_mask, beyond = saturate ? Fp8::max_finite : nan;
  return {beyond, beyond, nan};
}
FMHA950_NUMERIC OutOfRange bf8_out_of_range(bool saturate) {
  const uint32_t beyond = saturate ? Bf8::max_finite : Bf8::infinity;
  return {beyond, beyond, Bf8::magnitude_mask};
}

FMHA950_NUMERIC uint8_t fp8_from_f32(float x, bool saturate) {
  return uint8_t(encode_nearest<Fp8>(x, fp8_out_of_range(saturate)));
}
FMHA950_NUMERIC uint8_t bf8_from_f32(float x, bool saturate) {
  return uint8_t(encode_nearest<Bf8>(x, bf8_out_of_range(saturate)));
}
FMHA950_NUMERIC uint8_t fp8_from_f32(float x, bool saturate, uint8_t scale) {
  return uint8_t(encode<Fp8>(x, scale - 127, NearestEven<3>{}, fp8_out_of_range(saturate)));
}
FMHA950_NUMERIC uint8_t bf8_from_f32(float x, bool saturate, uint8_t scale) {
  return uint8_t(encode<Bf8>(x, scale - 127, NearestEven<2>{}, bf8_out_of_range(saturate)));
}
FMHA950_NUMERIC uint8_t fp8_from_f32_stochastic(float x, uint32_t seed, bool saturate,
                                                uint8_t scale = e8m0_one) {
  return uint8_t(encode<Fp8>(x, scale - 127, Stochastic<3>{seed}, fp8_out_of_range(saturate)));
}
FMHA950_NUMERIC uint8_t bf8_from_f32_stochastic(float x, uint32_t seed, bool saturate,
                                                uint8_t scale = e8m0_one) {
  return uint8_t(encode<Bf8>(x, scale - 127, Stochastic<2>{seed}, bf8_out_of_range(saturate)));
}

} // namespace fmha950::numerics
