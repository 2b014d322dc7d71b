#include "interface/tensors.hpp"

namespace fmha950 {

float tensor_descale(const Tensor& descale) {
  // By rank: descales per page of a pool of one page and KV head have one element, too.
  const bool one = descale.type() == ElementType::fp32 && descale.shape() == std::vector<int64_t>{1};
  return one ? descale.as<float>()[0] : 1;
}

int32_t page_of(const Problem& problem, const Tensors& tensors, int request, int token) {
  const int page = token / problem.page_size;
  if (problem.page_table == PageTable::sglang)
    return tensors.kv_page_indices.as<int32_t>()[tensors.kv_indptr.as<int32_t>()[request] + page];
  return tensors.block_table.as<int32_t>()[request * tensors.block_table.shape()[1] + page];
}

std::vector<int32_t> touched_pages(const Problem& problem, const Tensors& tensors) {
  std::vector<bool> touched(tensors.pool_pages());
  for (size_t request = 0; request < problem.requests.size(); ++request)
    for (int token = 0; token < problem.requests[request].key_length; token += problem.page_size)
      touched[page_of(problem, tensors, static_cast<int>(request), token)] = true;
  std::vector<int32_t> pages;
  for (size_t page = 0; page < touched.size(); ++page)
    if (touched[page]) pages.push_back(static_cast<int32_t>(page));
  return pages;
}

int64_t k_index(const Problem& problem, int64_t page, int slot, int head, int column) {
  const int64_t heads = problem.kv_heads, size = problem.page_size, columns = problem.head_dim;
  if (problem.kv_layout == KvLayout::linear) return ((page * size + slot) * heads + head) * columns + column;
  const int x = 16 / element_bytes(problem.kv_type);
  return (((page * heads + head) * (columns / x) + column / x) * size + slot) * x + column % x;
}

int64_t v_index(const Problem& problem, int64_t page, int slot, int head, int column) {
  if (problem.kv_layout == KvLayout::linear) return k_index(problem, page, slot, head, column);
  const int64_t heads = problem.kv_heads, size = problem.page_size, columns = problem.head_dim;
  const int x = 16 / element_bytes(problem.kv_type);
  return (((page * heads + head) * (size / x) + slot / x) * columns + column) * x + slot % x;
}

} // namespace fmha950
