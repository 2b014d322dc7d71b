#pragma once
// The finite-only formats: fp6 = e2m3, bf6 = e3m2, fp4 = e2m1. Everything beyond the largest value, infinity
// included, becomes +-max (facts 4.2). NaN has no code; it becomes +-max too: a guess, rocjitsu's newer
// behaviour (facts 4.2, 6).
#include "numerics/fp8.hpp"

namespace fmha950::numerics {

FMHA950_NUMERIC float f32_from_fp6(uint8_t code) { return decode<Fp6>(code); }
FMHA950_NUMERIC float f32_from_bf6(uint8_t code) { return decode<Bf6>(code); }
FMHA950_NUMERIC float f32_from_fp4(uint8_t code) { return decode<Fp4>(code); }

template <class F> inline constexpr OutOfRange saturating = {F::max_finite, F::max_finite, F::max_finite};

FMHA950_NUMERIC uint8_t fp6_from_f32(float x, uint8_t scale = e8m0_one) {
  return uint8_t(encode<Fp6>(x, scale - 127, NearestEven<3>{}, saturating<Fp6>));
}
FMHA950_NUMERIC uint8_t bf6_from_f32(float x, uint8_t scale = e8m0_one) {
  return uint8_t(encode<Bf6>(x, scale - 127, NearestEven<2>{}, saturating<Bf6>));
}
FMHA950_NUMERIC uint8_t fp4_from_f32(float x, uint8_t scale = e8m0_one) {
  return uint8_t(encode<Fp4>(x, scale - 127, NearestEven<1>{}, saturating<Fp4>));
}
FMHA950_NUMERIC uint8_t fp6_from_f32_stochastic(float x, uint32_t seed, uint8_t scale = e8m0_one) {
  return uint8_t(encode<Fp6>(x, scale - 127, Stochastic<3>{seed}, saturating<Fp6>));
}
FMHA950_NUMERIC uint8_t bf6_from_f32_stochastic(float x, uint32_t seed, uint8_t scale = e8m0_one) {
  return uint8_t(encode<Bf6>(x, scale - 127, Stochastic<2>{seed}, saturating<Bf6>));
}
FMHA950_NUMERIC uint8_t fp4_from_f32_stochastic(float x, uint32_t seed, uint8_t scale = e8m0_one) {
  return uint8_t(encode<Fp4>(x, scale - 127, Stochastic<1>{seed}, saturating<Fp4>));
}

} // namespace fmha950::numerics
