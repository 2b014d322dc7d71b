#include "operators/paged/definition.hpp"
#include "workload/tensor_rows.hpp"

namespace fmha950::operators {
namespace {

int64_t ragged_row(const Problem& problem, QueryRow row) {
  int64_t first = 0;
  for (int r = 0; r < row.request; ++r) first += problem.requests[static_cast<size_t>(r)].query_length;
  return first + row.query;
}

} // namespace

KeyPrefixes prefixes_of_request(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                                const std::vector<int>& lengths) {
  using namespace workload;
  const auto count = static_cast<int64_t>(lengths.size());
  const int64_t source_row = ragged_row(problem, row);
  KeyPrefixes out{problem, tensors, {}, head};
  Problem& p = out.problem;
  p.trace.reset();
  p.window.reset();
  p.causal = p.sink_logit = false;
  p.sink_tokens = p.tree_nodes = 0;
  p.page_table = PageTable::vllm;
  p.paged = true; // the prefixes share their pages
  p.requests.clear();
  for (const int length : lengths) p.requests.push_back({1, length});
  const int pages = p.pages_of(p.requests.back());
  std::vector<int32_t> row_of_table, table, q_indptr{0};
  for (int page = 0; page < pages; ++page)
    row_of_table.push_back(page_of(problem, tensors, row.request, page * problem.page_size));
  for (int64_t i = 0; i < count; ++i) {
    out.rows.push_back({static_cast<int>(i), 0});
    table.insert(table.end(), row_of_table.begin(), row_of_table.end());
    q_indptr.push_back(static_cast<int32_t>(i + 1));
  }
  Tensors& t = out.tensors;
  t.q = repeat_rows(tensors.q, source_row, 1, count);
  t.q_descale = repeat_rows(tensors.q_descale, source_row, 1, count);
  t.q_indptr = int_tensor(q_indptr, {count + 1});
  t.block_table = int_tensor(table, {count, pages});
  t.seqlen_k = int_tensor(lengths, {count});
  t.kv_indptr = t.kv_page_indices = t.kv_last_page_lens = t.sink_logit = t.tree_mask = Tensor();
  t.q_original = t.k_original = t.v_original = Tensor();
  return out;
}

} // namespace fmha950::operators
