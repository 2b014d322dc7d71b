#pragma once
// Matrix instructions by role. Register layouts: mfma_gfx950.md sections 2.2 and 2.3.

#include "gfx950/kernel.hpp"

namespace fmha950::gfx950 {

struct fp8 {}; // OCP e4m3fn, one byte; arithmetic is the matrix instructions' and conversions' alone

// D[32 x 32] += A[32 x 16] B[16 x 32], 16-bit elements, fp32 sums. With lane l, h = l / 32:
//   A: item t of lane l is A[l % 32][8 h + t]      B: item t of lane l is B[8 h + t][l % 32]
//   D: item r of lane l is D[8 (r / 4) + 4 h + r % 4][l % 32]
// k is summed, so any renaming of k is allowed that A and B share.
template <class Element> struct Mfma32x32x16 {
  using Operand = Vector<Element, 8>;
  using Accumulator = Float16;

  static FMHA950_INLINE Accumulator multiply_add(Operand a, Operand b, Accumulator c) {
    if constexpr (__is_same(Element, bf16))
      return __builtin_amdgcn_mfma_f32_32x32x16_bf16(a, b, c, 0, 0, 0);
    else
      return __builtin_amdgcn_mfma_f32_32x32x16_f16(a, b, c, 0, 0, 0);
  }
};

// D[16 x 16] += A[16 x 32] B[32 x 16], 16-bit elements or fp8, fp32 sums. With lane l, g = l / 16:
//   A: item t of lane l is A[l % 16][8 g + t]      B: item t of lane l is B[8 g + t][l % 16]
//   D: item r of lane l is D[4 g + r][l % 16]
template <class Element> struct Mfma16x16x32 {
  using Operand = Vector<Element, 8>;
  using Accumulator = Float4;

  static FMHA950_INLINE Accumulator multiply_add(Operand a, Operand b, Accumulator c) {
    if constexpr (__is_same(Element, bf16))
      return __builtin_amdgcn_mfma_f32_16x16x32_bf16(a, b, c, 0, 0, 0);
    else
      return __builtin_amdgcn_mfma_f32_16x16x32_f16(a, b, c, 0, 0, 0);
  }
};

template <> struct Mfma16x16x32<fp8> {
  using Operand = Word2; // 8 bytes
  using Accumulator = Float4;

  static FMHA950_INLINE Accumulator multiply_add(Operand a, Operand b, Accumulator c) {
    return __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(bits_as<long>(a), bits_as<long>(b), c, 0, 0, 0);
  }
};

} // namespace fmha950::gfx950
