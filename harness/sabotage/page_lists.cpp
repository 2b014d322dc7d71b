#include "harness/sabotage/page_lists.hpp"

#include "workload/page_tables.hpp"

namespace fmha950::harness {

std::vector<std::vector<int32_t>> page_lists(const Problem& problem, const Tensors& tensors) {
  std::vector<std::vector<int32_t>> lists;
  for (int request = 0; request < static_cast<int>(problem.requests.size()); ++request) {
    std::vector<int32_t>& pages = lists.emplace_back();
    for (int page = 0; page < problem.pages_of(problem.requests[static_cast<size_t>(request)]); ++page)
      pages.push_back(page_of(problem, tensors, request, page * problem.page_size));
  }
  return lists;
}

void set_page_lists(const Problem& problem, const std::vector<std::vector<int32_t>>& lists,
                    Tensors& tensors) {
  for (Tensor* table : {&tensors.q_indptr, &tensors.kv_indptr, &tensors.kv_page_indices,
                        &tensors.kv_last_page_lens, &tensors.block_table, &tensors.seqlen_k})
    *table = Tensor();
  workload::fill_page_tables(problem, {tensors.pool_pages(), lists, {}}, {}, tensors);
}

} // namespace fmha950::harness
