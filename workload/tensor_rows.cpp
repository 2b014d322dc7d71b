#include "workload/tensor_rows.hpp"

#include <algorithm>
#include <cstring>

namespace fmha950::workload {

Tensor repeat_rows(const Tensor& source, int64_t first, int64_t rows, int64_t count) {
  if (source.shape().size() < 2) return source;
  std::vector<int64_t> shape = source.shape();
  const size_t row_bytes = source.bytes() / static_cast<size_t>(shape[0]);
  shape[0] = rows * count;
  Tensor repeated(source.type(), shape);
  const size_t bytes = static_cast<size_t>(rows) * row_bytes;
  for (int64_t i = 0; i < count; ++i)
    std::memcpy(repeated.data() + static_cast<size_t>(i) * bytes,
                source.data() + static_cast<size_t>(first) * row_bytes, bytes);
  return repeated;
}

Tensor int_tensor(const std::vector<int32_t>& values, std::vector<int64_t> shape) {
  Tensor tensor(ElementType::int32, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.as<int32_t>().begin());
  return tensor;
}

} // namespace fmha950::workload
