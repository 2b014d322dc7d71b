#include "interface/sparse_tensors.hpp"

#include <algorithm>

namespace fmha950 {

std::vector<int32_t> listed_rows(const Tensor& indptr, const Tensor& indices) {
  const auto listed = indices.as<int32_t>().first(static_cast<size_t>(indptr.as<int32_t>().back()));
  std::vector<int32_t> rows(listed.begin(), listed.end());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows;
}

} // namespace fmha950
