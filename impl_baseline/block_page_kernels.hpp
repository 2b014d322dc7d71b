#pragma once
// The kernels for pages that are no power of two. A tile has keys of several pages, so that page descales are those of keys.

#include "impl_baseline/attention_kernel.hpp"

namespace fmha950::baseline {

FMHA950_KERNEL(threads, waves_per_simd) void attention_linear_block_pages(BlockPageArguments arguments) {
  attention<false, Descales::tensor>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd) void attention_vectorized_block_pages(BlockPageArguments arguments) {
  attention<true, Descales::tensor>(arguments);
}

#if FMHA950_BASELINE_PAGE_DESCALES
FMHA950_KERNEL(threads, waves_per_simd)
void attention_linear_blockscale_block_pages(BlockPageArguments arguments) {
  attention<false, Descales::page_of_key>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd)
void attention_vectorized_blockscale_block_pages(BlockPageArguments arguments) {
  attention<true, Descales::page_of_key>(arguments);
}
#endif

} // namespace fmha950::baseline
