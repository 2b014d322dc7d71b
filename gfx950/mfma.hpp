#pragma once
// Matrix instructions by role. Register layouts: mfma_gfx950.md sections 2.2 and 2.3.

#include "gfx950/kernel.hpp"

namespace fmha950::gfx950 {

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

} // namespace fmha950::gfx950
