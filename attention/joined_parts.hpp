#pragma once
// Parts of a row's attention joined into the whole. Each part's output is normalised by its own denominator, which its
// LSE is the logarithm of; so the whole is the mean of the parts weighted by the power of (LSE - largest). A part that
// saw nothing has an LSE of -inf, and weight 0.

#include "gfx950/mutant.hpp"
#include "gfx950/online_softmax.hpp"

namespace fmha950::attention {

using namespace gfx950;

// How parts are weighted: LSEs are to the base of 2, and the output of a part that saw nothing is 0.
struct BaseTwoParts {
  FMHA950_INLINE static float power(float difference) {
    return exp2_fast(protection("combine_base") ? difference : difference * log2e);
  }
  FMHA950_INLINE static Float4 weighted(float weight, Float4 output) { return weight * output; }
};

// The weighted mean of the parts so far, for one row and some chunks of its columns.
template <int Chunks, class Weighting = BaseTwoParts> struct JoinedParts : Weighting {
  // Finite, so that parts that saw nothing have a weight of 2^-inf = 0 also where no other has come.
  float largest = protection("combine_masked") ? -__FLT_MAX__ : negative_infinity;
  float weights = 0;
  Float4 sums[Chunks] = {};

  template <int Count>
  FMHA950_INLINE void add(const float (&lses)[Count], const Float4 (&outputs)[Count][Chunks]) {
    float higher = largest;
    for (const float lse : lses) higher = __builtin_fmaxf(higher, lse);
    if constexpr (!protection("combine_relative")) higher = 0;
    const float before = this->power(largest - higher);
    largest = higher;
    weights *= before;
    for (Float4& sum : sums) sum *= before;
    for (int i = 0; i < Count; ++i) {
      const float weight = this->power(lses[i] - higher);
      weights += weight;
      for (int c = 0; c < Chunks; ++c) sums[c] += this->weighted(weight, outputs[i][c]);
    }
  }
};

} // namespace fmha950::attention
