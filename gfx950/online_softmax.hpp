#pragma once
// Online softmax in base 2 over transposed scores: a lane owns one query (column l % 32 of S^T) and holds
// half of the tile's keys, the lane 32 further on holds the other half.

#include "gfx950/kernel.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/permlane.hpp"

namespace fmha950::gfx950 {

// v_exp_f32 and v_log_f32 are base 2 and flush nothing that matters here: exp2(-inf) = 0.
FMHA950_INLINE float exp2_fast(float x) { return __builtin_amdgcn_exp2f(x); }
FMHA950_INLINE float log2_fast(float x) { return __builtin_amdgcn_logf(x); }

constexpr float negative_infinity = -__builtin_inff();
// Outside of kernels scores and LSE are natural logarithms.
constexpr float log2e = 1.44269504088896341f, ln2 = 0.693147180559945309f;

FMHA950_INLINE float column_maximum(const Float16 (&scores)[2]) {
  // Two chains of three-operand maxima: a lone wave need not wait for the result of each before the next.
  const auto of_block = [](const Float16& block) {
    float maximum = block[0];
    for (int r = 1; r + 1 < 16; r += 2)
      maximum = __builtin_fmaxf(__builtin_fmaxf(maximum, block[r]), block[r + 1]);
    return __builtin_fmaxf(maximum, block[15]);
  };
  const float maximum = __builtin_fmaxf(of_block(scores[0]), of_block(scores[1]));
  return across_halves(maximum, [](float a, float b) { return __builtin_fmaxf(a, b); });
}

// outer * tanh(x) where `doubled` is 2 x log2(e). For a soft cap c on scores in base 2, outer = c log2(e) and
// doubled = 2 log2(e) s / c. Exact at both ends: exp2 overflows to infinity, whose reciprocal is 0.
FMHA950_INLINE float soft_capped(float doubled, float outer) {
  return __builtin_fmaf(-2 * outer, __builtin_amdgcn_rcpf(exp2_fast(doubled) + 1), outer);
}

FMHA950_INLINE float natural_lse(float lse2, Protection named = "lse_base") {
  return lse2 * multiplier(ln2, named);
}
FMHA950_INLINE float sink_in_base_2(float sink) { return sink * multiplier(log2e, "sink_base"); }

} // namespace fmha950::gfx950
