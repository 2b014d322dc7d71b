#pragma once
// IEEE binary16.
#include "numerics/minifloat.hpp"

namespace fmha950::numerics {

FMHA950_NUMERIC float f32_from_f16(uint16_t code) { return decode<Fp16>(code); }

/// NaN keeps its upper payload bits and becomes quiet. MODE.FP16_OVFL (`saturate`) clamps overflow to +-65504
/// but preserves a true infinity.
FMHA950_NUMERIC OutOfRange f16_out_of_range(float x, bool saturate) {
  const uint32_t nan = Fp16::infinity | 0x200u | (bits_of(x) >> 13 & 0x3ffu);
  return {saturate ? Fp16::max_finite : Fp16::infinity, Fp16::infinity, nan};
}

/// Round to nearest even.
FMHA950_NUMERIC uint16_t f16_from_f32(float x, bool saturate = false) {
  return uint16_t(encode<Fp16>(x, 0, NearestEven<10>{}, f16_out_of_range(x, saturate)));
}
/// f16's rounding field of MODE.
FMHA950_NUMERIC Rounding rounding_of_halves(uint32_t mode) { return Rounding(mode >> 2 & 3); }
FMHA950_NUMERIC uint16_t f16_from_f32(float x, bool saturate, Rounding rounding) {
  if (rounding == Rounding::nearest_even) return f16_from_f32(x, saturate);
  const bool negative = bits_of(x) >> 31;
  const bool away = rounding == (negative ? Rounding::down : Rounding::up);
  return uint16_t(encode<Fp16>(x, 0, Directed<10>{away}, f16_out_of_range(x, saturate || !away)));
}
/// Round toward zero (v_cvt_pkrtz_f16_f32): a finite value never becomes infinite.
FMHA950_NUMERIC uint16_t f16_from_f32_toward_zero(float x) {
  return uint16_t(encode<Fp16>(x, 0, TowardZero<10>{}, f16_out_of_range(x, true)));
}
FMHA950_NUMERIC uint16_t f16_from_f32_stochastic(float x, uint32_t seed, bool saturate = false) {
  return uint16_t(encode<Fp16>(x, 0, Stochastic<10>{seed}, f16_out_of_range(x, saturate)));
}

} // namespace fmha950::numerics
