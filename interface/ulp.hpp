#pragma once
// Spacing of a floating-point type's numbers.

#include "interface/problem.hpp"

namespace fmha950 {

// At |magnitude|: of bf16, fp16, fp32 and fp8. Throws InvalidInput for another type.
double ulp(ElementType type, double magnitude);

} // namespace fmha950
