#pragma once
// Matrix instructions whose A is fp4 (OCP e2m1) and whose B is fp8 (e4m3fn): mfma_fp8.hpp says what is common.

#include "gfx950/mfma_fp8.hpp"

namespace fmha950::gfx950 {

// A: nibble t of lane l, from the lowest on, is A[l % 32][k], k = 32 (l / 32) + t: 32 consecutive k, unlike the bytes of B, and
// so the lane holds the scale of its own elements. Every format counts k alike, so that A and B meet as written
// (mfma_gfx950.md section 3.2).
struct Fp4Fp8Mfma32x32x64 { // 64 clocks, as with fp8 on both sides: the wider format decides
  template <int A_BYTE, int B_BYTE>
  static FMHA950_INLINE Float16 multiply_add(Word4 a, Word8 b, Float16 c, uint32_t a_scales,
                                             uint32_t b_scales) {
    static_assert(A_BYTE >= 0 && A_BYTE < 4 && B_BYTE >= 0 && B_BYTE < 4, "a register has four bytes");
    constexpr int fp4 = 4, fp8 = 0;
    const Word8 low_half =
        __builtin_shufflevector(a, a, 0, 1, 2, 3, -1, -1, -1, -1); // the builtin takes eight
    return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(bits_as<Vector<int, 8>>(low_half),
                                                           bits_as<Vector<int, 8>>(b), c, fp4, fp8, A_BYTE,
                                                           a_scales, B_BYTE, b_scales);
  }
};

} // namespace fmha950::gfx950
