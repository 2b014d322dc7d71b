// attention.hip where K and V are fp8 and queries bf16 or fp16. K and V come to LDS as they are stored and become operands
// on their way into the matrix instructions, exactly: P is rounded to the queries' type, and no descale is rounded into K
// or V.

#define FMHA950_BASELINE_PAGE_DESCALES true
#include "impl_baseline/all_kernels.hpp"
