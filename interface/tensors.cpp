#include "interface/tensors.hpp"

namespace fmha950 {
namespace {

int elements_per_16_bytes(const Problem& problem) { return 16 / element_bytes(problem.kv_type); }

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
  const int x = elements_per_16_bytes(problem);
  switch (problem.kv_layout) {
  case KvLayout::linear: return {pages, problem.page_size, problem.kv_heads, problem.head_dim};
  case KvLayout::hnd: return {pages, problem.kv_heads, problem.page_size, problem.head_dim};
  case KvLayout::vectorized: break;
  }
  return {pages, problem.kv_heads, problem.head_dim / x, problem.page_size, x};
}

std::vector<int64_t> v_pool_shape(const Problem& problem, int64_t pages) {
  if (problem.kv_layout != KvLayout::vectorized) return k_pool_shape(problem, pages);
  const int x = elements_per_16_bytes(problem);
  return {pages, problem.kv_heads, problem.page_size / x, problem.head_dim, x};
}

int64_t k_index(const Problem& problem, int64_t page, int slot, int head, int column) {
  const int64_t heads = problem.kv_heads, size = problem.page_size, columns = problem.head_dim;
  const int x = elements_per_16_bytes(problem);
  switch (problem.kv_layout) {
  case KvLayout::linear: return ((page * size + slot) * heads + head) * columns + column;
  case KvLayout::hnd: return ((page * heads + head) * size + slot) * columns + column;
  case KvLayout::vectorized: break;
  }
  return (((page * heads + head) * (columns / x) + column / x) * size + slot) * x + column % x;
}

int64_t v_index(const Problem& problem, int64_t page, int slot, int head, int column) {
  if (problem.kv_layout != KvLayout::vectorized) return k_index(problem, page, slot, head, column);
  const int64_t heads = problem.kv_heads, size = problem.page_size, columns = problem.head_dim;
  const int x = elements_per_16_bytes(problem);
  return (((page * heads + head) * (size / x) + slot / x) * columns + column) * x + slot % x;
}

} // namespace fmha950
