#include "workload/page_tables.hpp"

#include "workload/table_padding.hpp"

#include <algorithm>

namespace fmha950::workload {
namespace {

void fill_sglang(const Problem& problem, const PageAssignment& pages, int padding, Tensors& tensors) {
  const auto requests = static_cast<int64_t>(problem.requests.size());
  tensors.kv_indptr = Tensor(ElementType::int32, {requests + 1});
  tensors.kv_last_page_lens = Tensor(ElementType::int32, {requests});
  auto indptr = tensors.kv_indptr.as<int32_t>();
  auto last = tensors.kv_last_page_lens.as<int32_t>();
  for (int64_t b = 0; b < requests; ++b) {
    const int length = problem.requests[b].key_length;
    indptr[b + 1] = indptr[b] + static_cast<int32_t>(pages.of_request[b].size());
    last[b] = length == 0 ? 0 : (length - 1) % problem.page_size + 1;
  }
  tensors.kv_page_indices = Tensor(ElementType::int32, {indptr[requests] + padding});
  auto indices = tensors.kv_page_indices.as<int32_t>();
  auto next = indices.begin();
  for (const auto& list : pages.of_request) next = std::copy(list.begin(), list.end(), next);
  for (size_t i = 0; next != indices.end(); ++next, ++i) *next = out_of_range(pages.pool_pages, i);
}

void fill_vllm(const Problem& problem, const PageAssignment& pages, int padding, Tensors& tensors) {
  const auto requests = static_cast<int64_t>(problem.requests.size());
  size_t longest = 0;
  for (const auto& list : pages.of_request) longest = std::max(longest, list.size());
  const auto columns = static_cast<int64_t>(longest) + padding;
  tensors.block_table = Tensor(ElementType::int32, {requests, columns});
  tensors.seqlen_k = Tensor(ElementType::int32, {requests});
  auto table = tensors.block_table.as<int32_t>();
  for (int64_t b = 0; b < requests; ++b) {
    const auto& list = pages.of_request[b];
    auto row = table.subspan(b * columns, columns);
    std::copy(list.begin(), list.end(), row.begin());
    for (size_t i = list.size(); i < row.size(); ++i) row[i] = out_of_range(pages.pool_pages, i);
    tensors.seqlen_k.as<int32_t>()[b] = problem.requests[b].key_length;
  }
}

} // namespace

void fill_page_tables(const Problem& problem, const PageAssignment& pages, TablePadding padding,
                      Tensors& tensors) {
  const auto requests = static_cast<int64_t>(problem.requests.size());
  tensors.q_indptr = Tensor(ElementType::int32, {requests + 1});
  auto indptr = tensors.q_indptr.as<int32_t>();
  for (int64_t b = 0; b < requests; ++b) indptr[b + 1] = indptr[b] + problem.requests[b].query_length;
  if (problem.page_table == PageTable::sglang)
    fill_sglang(problem, pages, padding.indices, tensors);
  else
    fill_vllm(problem, pages, padding.columns, tensors);
}

} // namespace fmha950::workload
