#include "operators/sparse_prefill/definition.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"
#include "workload/tensor_rows.hpp"

#include <algorithm>

namespace fmha950::operators {
namespace {

using namespace workload;

constexpr int fewest_sparse_heads = 16; // of a valid problem

// The first lengths[t] rows of `list` for token t.
void set_lists(std::span<const int32_t> list, const std::vector<int>& lengths, Tensor& indptr,
               Tensor& indices) {
  std::vector<int32_t> ends{0}, ids;
  for (const int length : lengths) {
    ids.insert(ids.end(), list.begin(), list.begin() + length);
    ends.push_back(static_cast<int32_t>(ids.size()));
  }
  indptr = int_tensor(ends, {static_cast<int64_t>(ends.size())});
  indices = int_tensor(ids, {static_cast<int64_t>(ids.size())});
}

} // namespace

KeyPrefixes prefixes_of_token(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                              const std::vector<int>& lengths) {
  const auto count = static_cast<int64_t>(lengths.size());
  KeyPrefixes out{problem, tensors, {}, head % fewest_sparse_heads};
  for (int i = 0; i < count; ++i) out.rows.push_back({0, i});
  Problem& p = out.problem;
  p.query_heads = fewest_sparse_heads;
  p.sink_logit = false;
  p.requests = {{static_cast<int>(count), lengths.back()}};
  SparseLists& lists = *sparse_lists(p);
  lists.tokens = static_cast<int>(count);
  lists.kind = ListKind::lengths;
  lists.prefix_lengths.clear();
  lists.extend_lengths.clear();
  const TokenLists listed(sparse_tensors(tensors), row.query);
  for (const int length : lengths) {
    lists.prefix_lengths.push_back(std::min(length, static_cast<int>(listed.prefix.size())));
    lists.extend_lengths.push_back(length - lists.prefix_lengths.back());
  }
  out.tensors.sink_logit = Tensor();
  SparseTensors& t = sparse_tensors(out.tensors);
  set_lists(listed.prefix, lists.prefix_lengths, t.prefix_indptr, t.prefix_indices);
  set_lists(listed.extend, lists.extend_lengths, t.extend_indptr, t.extend_indices);
  const int64_t first_row = int64_t{row.query} * problem.query_heads + head - out.head;
  for (Tensor* of_rows : {&t.q.nope, &t.q.rope, &t.q.scale})
    *of_rows = repeat_rows(*of_rows, first_row, fewest_sparse_heads, count);
  t.q.original = t.pool.original = t.chunk.original = Tensor();
  return out;
}

} // namespace fmha950::operators
