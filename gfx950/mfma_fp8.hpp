#pragma once
// Matrix instructions on fp8 (OCP e4m3fn), named by their shape M x N x K: D[M x N] += A[M x K] B[K x N],
// fp32 sums.

#include "gfx950/kernel.hpp"

namespace fmha950::gfx950 {

using Word8 = Vector<uint32_t, 8>; // 32 fp8 values

FMHA950_INLINE Word8 joined(Word4 low, Word4 high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

// v_mfma_f32_*_f8f6f4 and, with an E8M0 scale for every 32 steps of k of a row of A or a column of B,
// v_mfma_scale_f32_*_f8f6f4 (mfma_gfx950.md sections 3.2 and 3.3). With M the edge of the tile, lane l,
// g = l / M, i = l % M and L = 64 / M groups of lanes:
//   A: byte t of lane l is A[i][k], B: byte t is B[k][i], where k = 16 g + t % 16 + 16 L (t / 16): two pieces
//   of 16 consecutive k, not 32 consecutive ones. Without scales any order of k will do that A and B share.
//   Scales: lane l holds those of row (column) i for k = 32 g to 32 g + 31: not those of its own elements.
//   The instruction names one of the register's four bytes, the same for all lanes; only that byte counts. So
//   a register holds the scales of four steps. 255 is NaN, also where the elements are zeros.
// Both formats are e4m3 (0); literal zeros for the scales stand for the instruction without any.

// Item r of lane l is D[4 g + r][i].
struct Fp8Mfma16x16x128 {
  using Accumulator = Float4;

  template <int A_BYTE, int B_BYTE>
  static FMHA950_INLINE Accumulator multiply_add(Word8 a, Word8 b, Accumulator c, uint32_t a_scales,
                                                 uint32_t b_scales) {
    static_assert(A_BYTE >= 0 && A_BYTE < 4 && B_BYTE >= 0 && B_BYTE < 4, "a register has four bytes");
    return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(
        bits_as<Vector<int, 8>>(a), bits_as<Vector<int, 8>>(b), c, 0, 0, A_BYTE, a_scales, B_BYTE, b_scales);
  }

  static FMHA950_INLINE Accumulator multiply_add(Word8 a, Word8 b, Accumulator c) {
    return multiply_add<0, 0>(a, b, c, 0, 0);
  }
};

// Item r of lane l is D[8 (r / 4) + 4 g + r % 4][i].
struct Fp8Mfma32x32x64 { // 64 clocks (machine_gfx950.md section 6)
  using Accumulator = Float16;
  static constexpr int instructions = 1;

  template <int A_BYTE, int B_BYTE>
  static FMHA950_INLINE Accumulator multiply_add(Word8 a, Word8 b, Accumulator c, uint32_t a_scales,
                                                 uint32_t b_scales) {
    static_assert(A_BYTE >= 0 && A_BYTE < 4 && B_BYTE >= 0 && B_BYTE < 4, "a register has four bytes");
    return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(
        bits_as<Vector<int, 8>>(a), bits_as<Vector<int, 8>>(b), c, 0, 0, A_BYTE, a_scales, B_BYTE, b_scales);
  }

  static FMHA950_INLINE Accumulator multiply_add(Word8 a, Word8 b, Accumulator c) {
    return multiply_add<0, 0>(a, b, c, 0, 0);
  }
};

// What Fp8Mfma32x32x64 computes without scales, in four v_mfma_f32_32x32x16_fp8_fp8: at half its rate.
struct Fp8Mfma32x32x16 { // four times 32 clocks
  static constexpr int instructions = 4;

  static FMHA950_INLINE Float16 multiply_add(Word8 a, Word8 b, Float16 c) {
    for (int i = 0; i < 8; i += 2)
      c = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(bits_as<long>(Word2{a[i], a[i + 1]}),
                                                     bits_as<long>(Word2{b[i], b[i + 1]}), c, 0, 0, 0);
    return c;
  }
};

} // namespace fmha950::gfx950
