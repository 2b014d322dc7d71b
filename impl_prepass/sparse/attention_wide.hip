// sparse_prefill over rows of 512 bf16 for more than 32 heads. A workgroup is a token and up to 128 of its
// heads: eight waves of 16 heads each. A tile is 32 rows, which are keys and values at once: they lie in LDS
// once, and every wave reads them twice, row by row for S^T = K Q^T and transposed for O^T = V^T P^T.
//
// S^T puts a head into a lane: P, rounded, is the B operand of the second product as it stands, in the order
// of keys that D of S^T has left it in, in which V is read. Waves share nothing but the rows, so that a tile
// has one barrier: it publishes the tile's rows and says that the buffer of the tile before is free, into
// which the next rows are started at once. They have a whole tile's time to arrive. The two waves of a SIMD
// drift apart by themselves.
//
// Heads beyond a workgroup's 128 are another workgroup's (y). A wave without heads only stages rows.

#include "impl_prepass/sparse/wide_wave.hpp"

namespace fmha950::prepass::sparse {

FMHA950_KERNEL(WideWave::waves* wave_lanes, 2) void sparse_attention_wide(AttentionArguments arguments) {
  __shared__ char lds[WideWave::Stager::bytes] __attribute__((aligned(1024)));
  WideWave(arguments, workgroup_id_x(), workgroup_id_y() * WideWave::heads, (LdsBytes)lds).run();
}

} // namespace fmha950::prepass::sparse
