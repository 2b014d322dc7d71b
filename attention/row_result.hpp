#pragma once
// What remains to be done for a row when its last tile is done: the factor of its output, and its LSE. A row
// that saw no key has an output of 0 and an LSE of -inf.

#include "gfx950/mutant.hpp"
#include "gfx950/online_softmax.hpp"

namespace fmha950::attention {

using namespace gfx950;

template <class Softmax> class RowResult {
 public:
  FMHA950_INLINE explicit RowResult(const Softmax& softmax)
      : softmax_(softmax), nothing_(softmax.saw_nothing() && protection("nothing_seen")),
        sum_(softmax.denominator()) {}

  FMHA950_INLINE float output_factor(float value_scale) const {
    return nothing_ ? 0 : value_scale * __builtin_amdgcn_rcpf(sum_);
  }
  FMHA950_INLINE float lse() const { // natural log
    return nothing_ ? negative_infinity : natural_lse(softmax_.lse(sum_));
  }

 private:
  const Softmax& softmax_;
  bool nothing_;
  float sum_;
};

} // namespace fmha950::attention
