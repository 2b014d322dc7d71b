#pragma once
// Matrix instructions on fp8 (OCP e4m3fn) by role: 64 steps of k, in one instruction or in four.

#include "gfx950/kernel.hpp"

namespace fmha950::gfx950 {

using Word8 = Vector<uint32_t, 8>; // 32 fp8 values

FMHA950_INLINE Word8 joined(Word4 low, Word4 high) {
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

// D[32 x 32] += A[32 x 64] B[64 x 32], fp32 sums. With lane l, h = l / 32 (mfma_gfx950.md sections 2.3
// and 3.2):
//   A: byte t of lane l belongs to row l % 32      B: byte t of lane l belongs to column l % 32
//   D: item r of lane l is D[8 (r / 4) + 4 h + r % 4][l % 32]
// Both operands have k in the same places, so any order of k will do that they share.
struct Fp8Mfma64 { // 64 clocks, twice the rate of the other (machine_gfx950.md section 6)
  static constexpr int instructions = 1;
  static FMHA950_INLINE Float16 multiply_add(Word8 a, Word8 b, Float16 c) {
    using Operand = Vector<int, 8>;
    // Both formats e4m3 (0), no scales: v_mfma_f32_32x32x64_f8f6f4.
    return __builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4(bits_as<Operand>(a), bits_as<Operand>(b), c, 0, 0,
                                                           0, 0, 0, 0);
  }
};

struct Fp8Mfma16 { // four times 32 clocks
  static constexpr int instructions = 4;
  static FMHA950_INLINE Float16 multiply_add(Word8 a, Word8 b, Float16 c) {
    for (int i = 0; i < 8; i += 2)
      c = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(bits_as<long>(Word2{a[i], a[i + 1]}),
                                                     bits_as<long>(Word2{b[i], b[i + 1]}), c, 0, 0, 0);
    return c;
  }
};

} // namespace fmha950::gfx950
