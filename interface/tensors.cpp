#include "interface/tensors.hpp"

namespace fmha950 {
namespace {

int elements_per_16_bytes(const Problem& problem) { return 16 / element_bytes(problem.kv_type); }

// Of layouts that have a token's columns in one piece: LINEAR and HND.
std::vector<int64_t> shape_of_rows(const Problem& problem, int64_t pages, int columns) {
  if (problem.kv_layout == KvLayout::hnd) return {pages, problem.kv_heads, problem.page_size, columns};
  return {pages, problem.page_size, problem.kv_heads, columns};
}
int64_t row_of_slot(const Problem& problem, int64_t page, int slot, int head) {
  const int64_t heads = problem.kv_heads, size = problem.page_size;
  return problem.kv_layout == KvLayout::hnd ? (page * heads + head) * size + slot
                                            : (page * size + slot) * heads + head;
}

} // namespace

float tensor_descale(const Tensor& descale) {
  // By rank: descales per page of a pool of one page and KV head have one element, too.
  const bool one = descale.type() == ElementType::fp32 && descale.shape() == std::vector<int64_t>{1};
  return one ? descale.as<float>()[0] : 1;
}

uint64_t tree_bits(const Tensors& tensors, QueryRow node) {
  const int64_t row = int64_t{tensors.q_indptr.as<int32_t>()[static_cast<size_t>(node.request)]} + node.query;
  const auto words = tensors.tree_mask.as<int32_t>().subspan(static_cast<size_t>(2 * row), 2);
  return static_cast<uint32_t>(words[0]) | uint64_t{static_cast<uint32_t>(words[1])} << 32;
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

std::vector<int64_t> k_pool_shape(const Problem& problem, int64_t pages) {
  if (problem.kv_layout != KvLayout::vectorized) return shape_of_rows(problem, pages, problem.head_dim);
  const int x = elements_per_16_bytes(problem);
  return {pages, problem.kv_heads, problem.head_dim / x, problem.page_size, x};
}

std::vector<int64_t> v_pool_shape(const Problem& problem, int64_t pages) {
  if (problem.kv_layout != KvLayout::vectorized)
    return shape_of_rows(problem, pages, problem.value_columns());
  const int x = elements_per_16_bytes(problem);
  return {pages, problem.kv_heads, problem.page_size / x, problem.value_columns(), x};
}

int64_t k_index(const Problem& problem, int64_t page, int slot, int head, int column) {
  const int64_t heads = problem.kv_heads, size = problem.page_size, columns = problem.head_dim;
  if (problem.kv_layout != KvLayout::vectorized)
    return row_of_slot(problem, page, slot, head) * columns + column;
  const int x = elements_per_16_bytes(problem);
  return (((page * heads + head) * (columns / x) + column / x) * size + slot) * x + column % x;
}

int64_t v_index(const Problem& problem, int64_t page, int slot, int head, int column) {
  const int64_t heads = problem.kv_heads, size = problem.page_size, columns = problem.value_columns();
  if (problem.kv_layout != KvLayout::vectorized)
    return row_of_slot(problem, page, slot, head) * columns + column;
  const int x = elements_per_16_bytes(problem);
  return (((page * heads + head) * (size / x) + slot / x) * columns + column) * x + slot % x;
}

} // namespace fmha950
