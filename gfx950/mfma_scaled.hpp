#pragma once
// Matrix instructions on fp8 (OCP e4m3fn) that take an E8M0 scale for every 32 steps of k of a row of A or a
// column of B (mfma_gfx950.md sections 3.2 and 3.3): v_mfma_f32_*_f8f6f4, and v_mfma_scale_f32_*_f8f6f4.
//
// With M the edge of the tile, lane l, g = l / M, i = l % M and L = 64 / M groups of lanes:
//   A: byte t of lane l is A[i][k], B: byte t is B[k][i], where k = 16 g + t % 16 + 16 L (t / 16): two pieces
//   of 16 consecutive k, not 32 consecutive ones.
//   Scales: lane l holds those of row (column) i for k = 32 g to 32 g + 31: not those of its own elements.
//   Of its four bytes the one that the instruction names counts, the same for all lanes, so that a register
//   holds the scales of four steps. 255 is NaN, also where the elements are zeros.

#include "gfx950/mfma_fp8.hpp"

namespace fmha950::gfx950 {

// D[16 x 16] += A[16 x 128] B[128 x 16]; item r of lane l is D[4 g + r][i].
struct Fp8Mfma16x16x128 {
  using Accumulator = Float4;

  static FMHA950_INLINE Accumulator multiply_add(Word8 a, Word8 b, Accumulator c) {
    // Both formats e4m3 (0); literal zeros for the scales stand for the instruction without any.
    return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(bits_as<Vector<int, 8>>(a),
                                                            bits_as<Vector<int, 8>>(b), c, 0, 0, 0, 0, 0, 0);
  }

  template <int A_BYTE, int B_BYTE>
  static FMHA950_INLINE Accumulator multiply_add(Word8 a, Word8 b, Accumulator c, uint32_t a_scales,
                                                 uint32_t b_scales) {
    static_assert(A_BYTE >= 0 && A_BYTE < 4 && B_BYTE >= 0 && B_BYTE < 4, "a register has four bytes");
    return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(
        bits_as<Vector<int, 8>>(a), bits_as<Vector<int, 8>>(b), c, 0, 0, A_BYTE, a_scales, B_BYTE, b_scales);
  }
};

// D[32 x 32] += A[32 x 64] B[64 x 32]; item r of lane l is D[8 (r / 4) + 4 g + r % 4][i]. Without scales it
// is Fp8Mfma64 (mfma_fp8.hpp).
struct Fp8Mfma32x32x64 {
  using Accumulator = Float16;

  template <int A_BYTE, int B_BYTE>
  static FMHA950_INLINE Accumulator multiply_add(Word8 a, Word8 b, Accumulator c, uint32_t a_scales,
                                                 uint32_t b_scales) {
    static_assert(A_BYTE >= 0 && A_BYTE < 4 && B_BYTE >= 0 && B_BYTE < 4, "a register has four bytes");
    return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(
        bits_as<Vector<int, 8>>(a), bits_as<Vector<int, 8>>(b), c, 0, 0, A_BYTE, a_scales, B_BYTE, b_scales);
  }
};

} // namespace fmha950::gfx950
