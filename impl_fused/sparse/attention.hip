// sparse_prefill from fp8 rows, without scratch. A workgroup is a token and up to 64 of its heads: four waves
// over tiles of 32 rows, which are keys and values at once and lie in LDS once.
//
// In S^T = K Q^T a wave has 16 heads of its own and all keys of the tile: a head is a lane, and its softmax
// needs no other wave. In O^T += V^T P^T a wave has a quarter of the columns for all heads of the workgroup,
// so that V is dequantised once: P goes through LDS, as the B operand it is.
//
// The two products run one tile apart. Per tile t every wave
//   waits for its rows of t + 1 and its P of t, meets the others, starts rows of t + 2,
//   multiplies S^T of t + 1, multiplies O^T of t beside the softmax of t + 1, and writes P of t + 1.
// With three tiles of rows and P twice that takes one barrier: it publishes rows and P, and says that the
// places of rows of t - 1 and of P of t - 1 are free. Two workgroups share a CU.

#include "impl_fused/sparse/attention_wave.hpp"

namespace fmha950::fused::sparse {

template <class Format, int HEAD_BLOCKS> FMHA950_INLINE void attention(const Arguments& arguments) {
  using Wave =
      AttentionWave<Format, ScalePath::FMHA950_SPARSE_SCALES, ValuePath::FMHA950_SPARSE_VALUES, HEAD_BLOCKS>;
  __shared__ char lds[Wave::Lds::bytes] __attribute__((aligned(1024)));
  Wave(arguments, arguments.tokens[workgroup_id_x()], workgroup_id_y() * (HEAD_BLOCKS * heads_per_block),
       (LdsBytes)lds)
      .run();
}

#define FMHA950_FUSED_SPARSE(NAME, FORMAT, HEAD_BLOCKS)                                                      \
  FMHA950_KERNEL(threads, 2) void NAME(Arguments arguments) { attention<FORMAT, HEAD_BLOCKS>(arguments); }

FMHA950_FUSED_SPARSE(sparse_split_16, Split, 1)
FMHA950_FUSED_SPARSE(sparse_split_32, Split, 2)
FMHA950_FUSED_SPARSE(sparse_packed_16, Packed, 1)
FMHA950_FUSED_SPARSE(sparse_packed_32, Packed, 2)
#ifdef FMHA950_SPARSE_64_HEADS
FMHA950_FUSED_SPARSE(sparse_split_64, Split, 4)
FMHA950_FUSED_SPARSE(sparse_packed_64, Packed, 4)
#endif

} // namespace fmha950::fused::sparse
