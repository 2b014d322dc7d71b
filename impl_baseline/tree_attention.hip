// attention.hip where the last queries and keys of a request are the nodes of a draft tree (tree_mask.hpp). One code object
// has the kernels for all quantisations and page sizes.

#include "impl_baseline/attention_kernel.hpp"

namespace fmha950::baseline {

FMHA950_KERNEL(threads, waves_per_simd) void attention_linear_tree(TreeArguments arguments) {
  attention<false, Descales::tensor>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd) void attention_vectorized_tree(TreeArguments arguments) {
  attention<true, Descales::tensor>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd)
void attention_linear_block_pages_tree(TreeBlockPageArguments arguments) {
  attention<false, Descales::tensor>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd)
void attention_vectorized_block_pages_tree(TreeBlockPageArguments arguments) {
  attention<true, Descales::tensor>(arguments);
}

#if FMHA950_BASELINE_PAGE_DESCALES
FMHA950_KERNEL(threads, waves_per_simd) void attention_linear_blockscale_tree(TreeArguments arguments) {
  attention<false, Descales::page_of_tile>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd) void attention_vectorized_blockscale_tree(TreeArguments arguments) {
  attention<true, Descales::page_of_tile>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd)
void attention_linear_blockscale_small_pages_tree(TreeArguments arguments) {
  attention<false, Descales::page_of_key>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd)
void attention_vectorized_blockscale_small_pages_tree(TreeArguments arguments) {
  attention<true, Descales::page_of_key>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd)
void attention_linear_blockscale_block_pages_tree(TreeBlockPageArguments arguments) {
  attention<false, Descales::page_of_key>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd)
void attention_vectorized_blockscale_block_pages_tree(TreeBlockPageArguments arguments) {
  attention<true, Descales::page_of_key>(arguments);
}
#endif

} // namespace fmha950::baseline
