#pragma once
// What v_cvt_scalef32_* share: conversions to and from the small formats with an E8M0 scale, the exponent field of an
// f32 operand (mfma_gfx950.md section 4.2).
// To small: x / 2^(e-127), rounded once. From small: v * 2^(e-127).
#include "emulator/isa/convert.hpp"

namespace fmha950::isa::FMHA950_SIMD {

FMHA950_INLINE uint8_t exponent_of(u32 scale) { return static_cast<uint8_t>(scale >> 23); }
/// Scale 0xFF makes the value NaN: expected, not documented (facts 4.2).
FMHA950_INLINE f32 value_under(f32 x, u32 scale) {
  return exponent_of(scale) == numerics::e8m0_nan ? numerics::f32_from_e8m0(numerics::e8m0_nan) : x;
}

// The wide side: how an element's bits are read from the low half (or all) of a register, and made.
struct WideF32 {
  static constexpr int width = 32;
  FMHA950_INLINE static f32 decode(u32 bits) { return numerics::float_of(bits); }
  FMHA950_INLINE static u32 encode(f32 x) { return numerics::bits_of(x); }
};
struct WideF16 {
  static constexpr int width = 16;
  FMHA950_INLINE static f32 decode(u32 bits) { return numerics::f32_from_f16(static_cast<uint16_t>(bits)); }
  FMHA950_INLINE static u32 encode(f32 x) { return numerics::f16_from_f32(x); }
};
struct WideBf16 {
  static constexpr int width = 16;
  FMHA950_INLINE static f32 decode(u32 bits) { return numerics::f32_from_bf16(static_cast<uint16_t>(bits)); }
  FMHA950_INLINE static u32 encode(f32 x) { return numerics::bf16_from_f32(x); }
};

template <class Code> FMHA950_INLINE u32 narrowed(f32 x, u32 scale, bool saturate) {
  return Code::nearest(value_under(x, scale), exponent_of(scale), saturate);
}
template <class Code> FMHA950_INLINE u32 narrowed_stochastic(f32 x, u32 seed, u32 scale, bool saturate) {
  return Code::stochastic(value_under(x, scale), seed, exponent_of(scale), saturate);
}
template <class Wide, class Code> FMHA950_INLINE u32 widened(u32 code, u32 scale) {
  return Wide::encode(
      numerics::scaled_by_e8m0(Code::decode(code & ((1u << Code::width) - 1)), exponent_of(scale)));
}

} // namespace fmha950::isa::FMHA950_SIMD
