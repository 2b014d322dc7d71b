// attention.hip where K and V are fp8 and queries bf16 or fp16. K and V come to LDS as they are stored and become operands
// on their way into the matrix instructions, exactly: P is rounded to the queries' type, and no descale is rounded into K
// or V. One code object has the kernels for all quantisations and page sizes.

#define FMHA950_BASELINE_PAGE_DESCALES true
#include "impl_baseline/block_page_kernels.hpp"

namespace fmha950::baseline {

FMHA950_KERNEL(threads, waves_per_simd) void attention_linear(AttentionArguments arguments) {
  attention<false, Descales::tensor>(arguments);
}

FMHA950_KERNEL(threads, waves_per_simd) void attention_vectorized(AttentionArguments arguments) {
  attention<true, Descales::tensor>(arguments);
}

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

} // namespace fmha950::baseline
