#pragma once
// The softmax of one head per lane (l % 16), whose keys are spread over the four lanes alike: S^T by matrix
// instructions of 16 x 16, key 4 (l / 16) + r of a block of 16 in item r.

#include "attention/lazy_softmax.hpp"
#include "gfx950/mfma.hpp"

namespace fmha950::attention::sparse {

using namespace gfx950;

FMHA950_INLINE float largest_of(float a, float b) { return __builtin_fmaxf(a, b); }

template <int Blocks> FMHA950_INLINE float tile_maximum(const Float4 (&scores)[Blocks]) {
  float largest = scores[0][0];
  for (const Float4& block : scores)
    for (int r = 0; r < 4; ++r) largest = largest_of(largest, block[r]);
  return across_quarters(largest, largest_of);
}

// Hides the keys past the end of the lists: only `keys_left` keys of the tile count.
template <int Blocks> FMHA950_INLINE void hide_tail(Float4 (&scores)[Blocks], int keys_left) {
  const int own = keys_left - static_cast<int>(lane_id() / 16 * 4);
  for (int block = 0; block < Blocks; ++block)
    for (int r = 0; r < 4; ++r)
      if (16 * block + r >= own) scores[block][r] = negative_infinity;
}

using HeadSoftmax = RelativeSoftmax;

// Probabilities of a block of 16 keys, rounded, and of two: the B operand of O^T = V^T P^T, item t of a lane
// being key 16 (t / 4) + 4 (l / 16) + t % 4.
FMHA950_INLINE Vector<bf16, 4> soften_block(HeadSoftmax& softmax, const Float4& scores, float scale) {
  const auto low = round_pair<bf16>(softmax.probabilities(Float2{scores[0], scores[1]}, scale));
  const auto high = round_pair<bf16>(softmax.probabilities(Float2{scores[2], scores[3]}, scale));
  return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}
FMHA950_INLINE Mfma16x16x32<bf16>::Operand soften(HeadSoftmax& softmax, const Float4& first,
                                                  const Float4& second, float scale) {
  return __builtin_shufflevector(soften_block(softmax, first, scale), soften_block(softmax, second, scale), 0,
                                 1, 2, 3, 4, 5, 6, 7);
}

struct HeadResult {
  float output_factor, lse; // natural log
};

// `sum`: over all keys of the head, relative to the reference. `sink`: natural-log score of one more key, whose
// value is zero; -inf for none. Lists without rows give an output of 0 and the LSE of the sink.
FMHA950_INLINE HeadResult finish_head(float reference, float sum, float sink) {
  const float sink2 = sink_in_base_2(sink);
  const float top = largest_of(reference, sink2);
  const float keys = exp2_fast(reference - top);
  const float all = sum * keys + summand(exp2_fast(sink2 - top), "sink_in_denominator");
  const float factor = keys * __builtin_amdgcn_rcpf(all);
  return {sum == 0 && protection("nothing_seen") ? 0 : factor, natural_lse(top + log2_fast(all))};
}

} // namespace fmha950::attention::sparse
