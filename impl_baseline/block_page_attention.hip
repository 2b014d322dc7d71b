// attention.hip where pages are a multiple of 16 tokens, but no power of two.

#define FMHA950_BASELINE_OPERAND FMHA950_BASELINE_ELEMENT
#include "impl_baseline/block_page_kernels.hpp"
