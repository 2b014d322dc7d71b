// Flash attention straight from the pages of K and V: four waves of 32 queries each, tiles of 64 keys, Q and
// the output in registers. S^T = K Q^T puts a query into a lane: row statistics need one exchange between the
// halves of the wave, and P, rounded, is the B operand of O^T += V^T P^T as it stands.
//
// K and V are double-buffered in LDS. Per tile t (in the order of tile_walk.hpp) every wave
//   multiplies S^T = K Q^T; with all of K(t) read it waits for its part of V(t), meets the others, starts
//   K(t + 2), does the softmax and multiplies O^T += V^T P^T; with all of V(t) read it waits for its part of
//   K(t + 1), meets the others, starts V(t + 2). The last matrix instructions of a product run beside that.
// At each of the two barriers one tile becomes visible to all waves and the one before it in the other
// product has been read by all, so that its place is free. Pages are looked up three tiles ahead.

#define FMHA950_BASELINE_OPERAND FMHA950_BASELINE_ELEMENT
#include "impl_baseline/attention_kernel.hpp"

namespace fmha950::baseline {

constexpr auto descales = FMHA950_BASELINE_PAGE_DESCALES ? Descales::page_of_tile : Descales::tensor;

FMHA950_KERNEL(threads, waves_per_simd) void attention_linear(AttentionArguments arguments) {
  attention<false, descales>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd) void attention_vectorized(AttentionArguments arguments) {
  attention<true, descales>(arguments);
}

#if FMHA950_BASELINE_PAGE_DESCALES // a tile has keys of several pages
FMHA950_KERNEL(threads, waves_per_simd) void attention_linear_small_pages(AttentionArguments arguments) {
  attention<false, Descales::page_of_key>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd) void attention_vectorized_small_pages(AttentionArguments arguments) {
  attention<true, Descales::page_of_key>(arguments);
}
#endif

} // namespace fmha950::baseline
