// sparse_prefill over rows of 512 bf16 for 16 and for 32 heads. A workgroup is a token and all its heads:
// with 16 heads a wave, two of four waves would find no work. Instead the waves share the keys. A tile is 64
// rows; each wave multiplies 16 rows by all heads' queries, and has 128 columns of the output. So the whole
// workgroup reads a row once for S^T and a column once for O^T.
//
// What one wave knows and the others need goes through LDS: the maxima of its keys, for a reference that all
// waves share, and its P. A tile has three barriers:
//   rows    publishes the tile's rows, and says that the buffer of the tile before is free
//   maxima  publishes them; P of the tile before has been read
//   P       publishes it; the maxima have been read
// Every wave sums up its own keys; the sums meet at the end.

#include "impl_prepass/sparse/narrow_wave.hpp"

namespace fmha950::prepass::sparse {

template <int HeadBlocks> FMHA950_INLINE void attention(const AttentionArguments& arguments) {
  using Wave = NarrowWave<HeadBlocks>;
  __shared__ char lds[Wave::lds_bytes] __attribute__((aligned(1024)));
  Wave(arguments, workgroup_id_x(), (LdsBytes)lds).run();
}

FMHA950_KERNEL(256, 1) void sparse_attention_16(AttentionArguments arguments) { attention<1>(arguments); }
FMHA950_KERNEL(256, 1) void sparse_attention_32(AttentionArguments arguments) { attention<2>(arguments); }

} // namespace fmha950::prepass::sparse
