// FP8 attention straight from the paged cache, microscaled or not: four waves of 32 rows each, tiles of 64
// keys. S^T = K Q^T puts a query into a lane: row statistics need one exchange between the halves of the
// wave, and P, rounded to fp8, is the B operand of O^T += V^T P^T as it stands. E8M0 scales go into the
// matrix instructions as they are stored.
//
// K and V are double-buffered in LDS. Per tile t every wave
//   waits for its part of K(t), meets the others, starts V(t + 1), multiplies S^T = K Q^T,
//   waits for its part of V(t), meets the others, starts K(t + 2), does the softmax
//   and multiplies O^T += V^T P^T.
// At each of the two barriers one tile becomes visible to all waves and the one before it in the other
// product has been read by all, so that its place is free. Pages are looked up three tiles ahead. Two
// workgroups share a CU, so that one multiplies while the other waits.

#include "impl_fused/attention_wave.hpp"

namespace fmha950::fused {

#define FMHA950_FUSED(SCALES)                                                                                \
  FMHA950_KERNEL(threads, 2) void attention_##SCALES(AttentionArguments arguments) {                         \
    attention<Scales::SCALES, Stored::e4m3>(arguments);                                                      \
  }

FMHA950_FUSED(tensor)
FMHA950_FUSED(mx_keys)
FMHA950_FUSED(mx)
FMHA950_FUSED(page)

} // namespace fmha950::fused
