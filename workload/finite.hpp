#pragma once
// Where a tensor has values that are not finite, found at the speed of memory.

#include "interface/tensor.hpp"

#include <string>

namespace fmha950::workload {

// The index of the first element of [first, first + count) that is NaN or infinite, or -1. For any type that has a NaN.
int64_t first_not_finite(const Tensor& tensor, int64_t first, int64_t count);

// The same of a whole tensor, on all cores.
int64_t first_not_finite(const Tensor& tensor);

// Throws InvalidInput for element `index`, which is not finite: "place = nan: must be finite, as it is read".
[[noreturn]] void refuse_value(const std::string& place, const Tensor& tensor, int64_t index);

} // namespace fmha950::workload
