#pragma once
// The kernels for all quantisations and page sizes, where one code object has them all.

#include "impl_baseline/block_page_kernels.hpp"

namespace fmha950::baseline {

FMHA950_KERNEL(threads, waves_per_simd) void attention_linear(AttentionArguments arguments) {
  attention<false, Descales::tensor>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd) void attention_vectorized(AttentionArguments arguments) {
  attention<true, Descales::tensor>(arguments);
}

#if FMHA950_BASELINE_PAGE_DESCALES
FMHA950_KERNEL(threads, waves_per_simd) void attention_linear_blockscale(AttentionArguments arguments) {
  attention<false, Descales::page_of_tile>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd) void attention_vectorized_blockscale(AttentionArguments arguments) {
  attention<true, Descales::page_of_tile>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd)
void attention_linear_blockscale_small_pages(AttentionArguments arguments) {
  attention<false, Descales::page_of_key>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd)
void attention_vectorized_blockscale_small_pages(AttentionArguments arguments) {
  attention<true, Descales::page_of_key>(arguments);
}
#endif

} // namespace fmha950::baseline
