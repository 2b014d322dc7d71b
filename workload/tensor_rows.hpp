#pragma once
// Small tensors that are made from others, or from numbers.

#include "interface/tensor.hpp"

namespace fmha950::workload {

// Rows [first, first + rows) of `source`, `count` times. What is empty, or has one value for all rows, stays as it is.
Tensor repeat_rows(const Tensor& source, int64_t first, int64_t rows, int64_t count);

Tensor int_tensor(const std::vector<int32_t>& values, std::vector<int64_t> shape);

} // namespace fmha950::workload
