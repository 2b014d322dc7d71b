// sparse_prefill over rows of 512 bf16 for more than 32 heads. A workgroup has one token and up to 128 heads:
// eight waves of 16 heads each. If the token has at most 64 heads, a workgroup has four waves and a CU has
// two workgroups. A tile is 32 rows, which are keys and values at once: they lie in LDS once, and every wave
// reads them twice, row by row for S^T = K Q^T and transposed for O^T = V^T P^T.
//
// S^T puts a head into a lane: P, rounded, is the B operand of the second product as it stands, in the order
// of keys that D of S^T has left it in, in which V is read. Waves share nothing but the rows, so that a tile
// has one barrier: it publishes the tile's rows and says that the buffer of the tile before is free, into
// which the next rows are started at once. They have a whole tile's time to arrive. With four waves
// the second product has priority, which keeps the two workgroups of a SIMD apart; eight meet
// at each tile's barrier.
//
// Heads beyond a workgroup's 128 are another workgroup's (y). A wave without heads only stages rows.

#include "impl_prepass/sparse/wide_wave.hpp"

namespace fmha950::prepass::sparse {

template <int Waves> FMHA950_INLINE void attention(const AttentionArguments& arguments) {
  using Wave = WideWave<Waves>;
  __shared__ char lds[Wave::Stager::bytes] __attribute__((aligned(1024)));
  Wave(arguments, workgroup_id_x(), workgroup_id_y() * Wave::heads, (LdsBytes)lds).run();
}

FMHA950_KERNEL(4 * wave_lanes, 2) void sparse_attention_64(AttentionArguments arguments) {
  attention<4>(arguments);
}
FMHA950_KERNEL(8 * wave_lanes, 2) void sparse_attention_128(AttentionArguments arguments) {
  attention<8>(arguments);
}

} // namespace fmha950::prepass::sparse
