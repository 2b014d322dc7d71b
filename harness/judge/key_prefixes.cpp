#include "harness/judge/key_prefixes.hpp"

#include "harness/judge/appended_request.hpp"
#include "interface/sparse_rows.hpp"

#include <algorithm>
#include <cstring>

namespace fmha950::harness {

namespace {

constexpr int fewest_sparse_heads = 16; // of a valid problem

int64_t ragged_row(const Problem& problem, QueryRow row) {
  int64_t first = 0;
  for (int r = 0; r < row.request; ++r) first += problem.requests[static_cast<size_t>(r)].query_length;
  return first + row.query;
}

// Rows [first, first + rows) of `source`, `count` times.
Tensor repeat_rows(const Tensor& source, int64_t first, int64_t rows, int64_t count) {
  if (source.shape().size() < 2) return source; // empty, or one value for all rows
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

KeyPrefixes of_request(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                       const std::vector<int>& lengths) {
  const auto count = static_cast<int64_t>(lengths.size());
  const int64_t source_row = ragged_row(problem, row);
  KeyPrefixes out{problem, tensors, {}, head};
  Problem& p = out.problem;
  p.trace.reset();
  p.window.reset();
  p.causal = p.sink_logit = false;
  p.sink_tokens = 0;
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
  t.kv_indptr = t.kv_page_indices = t.kv_last_page_lens = t.sink_logit = Tensor();
  t.q_original = t.k_original = t.v_original = Tensor();
  return out;
}

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

KeyPrefixes of_token(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                     const std::vector<int>& lengths) {
  const auto count = static_cast<int64_t>(lengths.size());
  KeyPrefixes out{problem, tensors, {}, head % fewest_sparse_heads};
  for (int i = 0; i < count; ++i) out.rows.push_back({0, i});
  Problem& p = out.problem;
  p.query_heads = fewest_sparse_heads;
  p.sink_logit = false;
  p.requests = {{static_cast<int>(count), lengths.back()}};
  SparseLists& lists = *p.sparse;
  lists.tokens = static_cast<int>(count);
  lists.kind = ListKind::lengths;
  lists.prefix_lengths.clear();
  lists.extend_lengths.clear();
  const TokenLists listed(tensors.sparse, row.query);
  for (const int length : lengths) {
    lists.prefix_lengths.push_back(std::min(length, static_cast<int>(listed.prefix.size())));
    lists.extend_lengths.push_back(length - lists.prefix_lengths.back());
  }
  out.tensors.sink_logit = Tensor();
  SparseTensors& t = out.tensors.sparse;
  set_lists(listed.prefix, lists.prefix_lengths, t.prefix_indptr, t.prefix_indices);
  set_lists(listed.extend, lists.extend_lengths, t.extend_indptr, t.extend_indices);
  const int64_t first_row = int64_t{row.query} * problem.query_heads + head - out.head;
  for (Tensor* of_rows : {&t.q.nope, &t.q.rope, &t.q.scale})
    *of_rows = repeat_rows(*of_rows, first_row, fewest_sparse_heads, count);
  t.q.original = t.pool.original = t.chunk.original = Tensor();
  return out;
}

} // namespace

KeyPrefixes key_prefixes(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                         const std::vector<int>& lengths) {
  if (problem.op == Operator::sparse_prefill) return of_token(problem, tensors, row, head, lengths);
  if (problem.op == Operator::batch_prefill) return of_request(problem, tensors, row, head, lengths);
  const AppendedRequest one = appended_request(problem, tensors, row.request);
  return of_request(one.problem, one.tensors, {0, row.query}, head, lengths);
}

} // namespace fmha950::harness
