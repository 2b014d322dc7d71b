#pragma once
// Conversions between the formats of attention.
// OCP fp8 e4m3fn and E8M0 scales (mfma_gfx950.md sections 3.1, 4.2).

#include "gfx950/kernel.hpp"

namespace fmha950::gfx950 {

// The scale operand of v_cvt_scalef32_*: an fp32 number. Only its exponent field counts.
FMHA950_INLINE float e8m0_scale(uint32_t e8m0) { return bits_as<float>(e8m0 << 23); }

// Four fp8 values times a power of two, exactly:
// fp8 has 4 significant bits and bf16 the exponent range of fp32.
FMHA950_INLINE Vector<bf16, 4> fp8_to_bf16(uint32_t four, float power_of_two) {
  const Vector<bf16, 2> low = __builtin_amdgcn_cvt_scalef32_pk_bf16_fp8(four, power_of_two, false);
  const Vector<bf16, 2> high = __builtin_amdgcn_cvt_scalef32_pk_bf16_fp8(four, power_of_two, true);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}

// The same as fp16, whose normal numbers hold all of fp8's: exact where the product stays among them.
FMHA950_INLINE Vector<fp16, 4> fp8_to_fp16(uint32_t four, float power_of_two) {
  const Vector<fp16, 2> low = __builtin_amdgcn_cvt_scalef32_pk_f16_fp8(four, power_of_two, false);
  const Vector<fp16, 2> high = __builtin_amdgcn_cvt_scalef32_pk_f16_fp8(four, power_of_two, true);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}

// The value of an E8M0 byte, 2^(e - 127); e = 0 is 2^-127, subnormal in fp32. (255, NaN, gives infinity.)
FMHA950_INLINE float e8m0_value(uint32_t e8m0) { return bits_as<float>(e8m0 == 0 ? 0x00400000 : e8m0 << 23); }

// Two fp8 values of the low half of `word`, exactly.
FMHA950_INLINE Float2 fp8_pair(uint32_t word) { return __builtin_amdgcn_cvt_pk_f32_fp8(word, false); }

// Four fp32 values rounded to nearest even, saturating only as MODE.fp16_ovfl says: beyond 448 is NaN
// (mfma_gfx950.md section 4.1).
FMHA950_INLINE uint32_t round_to_fp8(float a, float b, float c, float d) {
  int any; // the other half, which the second instruction fills; clang would set any other value first
  asm("" : "=v"(any) : "v"(a));
  const int low = __builtin_amdgcn_cvt_pk_fp8_f32(a, b, any, false);
  return static_cast<uint32_t>(__builtin_amdgcn_cvt_pk_fp8_f32(c, d, low, true));
}

// Two fp32 values rounded to nearest even: one v_cvt_pk_bf16_f32 or v_cvt_pk_f16_f32.
template <class Element> FMHA950_INLINE Vector<Element, 2> round_pair(Float2 values) {
  return __builtin_convertvector(values, Vector<Element, 2>);
}

} // namespace fmha950::gfx950
