#pragma once
// bfloat16: the upper half of an f32.
#include "numerics/minifloat.hpp"

namespace fmha950::numerics {

FMHA950_NUMERIC float f32_from_bf16(uint16_t code) { return float_of(uint32_t(code) << 16); }

/// NaN keeps its upper half, with bit 0 set if anything was dropped, so that it stays a NaN
/// (facts 4.1: rocjitsu).
FMHA950_NUMERIC uint16_t bf16_nan_from_f32(uint32_t bits) {
  return uint16_t(bits >> 16 | uint32_t((bits & 0xffffu) != 0));
}

/// Round to nearest even; overflow gives infinity.
FMHA950_NUMERIC uint16_t bf16_from_f32(float x) {
  const uint32_t bits = bits_of(x);
  const uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
  return uint16_t((bits & 0x7fffffffu) > f32_infinity ? bf16_nan_from_f32(bits) : rounded);
}

/// Stochastic rounding: the top 16 seed bits are added below the result's last bit,
/// then truncated (facts 4.1).
FMHA950_NUMERIC uint16_t bf16_from_f32_stochastic(float x, uint32_t seed) {
  const uint32_t bits = bits_of(x);
  const bool finite = (bits & 0x7fffffffu) < f32_infinity;
  const uint32_t rounded = (bits + (finite ? seed >> 16 : 0)) >> 16;
  return uint16_t((bits & 0x7fffffffu) > f32_infinity ? bf16_nan_from_f32(bits) : rounded);
}

} // namespace fmha950::numerics
