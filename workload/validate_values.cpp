#include "workload/validate_values.hpp"

#include "interface/error.hpp"
#include "interface/sparse_rows.hpp"
#include "numerics/threads.hpp"
#include "workload/finite.hpp"
#include "workload/seen_slots.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace fmha950::workload {

namespace {

[[noreturn]] void refuse(const std::string& place, const Tensor& tensor, int64_t index) {
  const float value = tensor.value(index);
  throw InvalidInput(place, std::isnan(value) ? "nan" : fmt::format("{}", value),
                     "must be finite, as it is read");
}

// [total_q, heads, D]: Q, or the chunk of append_prefill.
void check_query_rows(const Problem& problem, const Tensors& tensors, const char* name, const Tensor& tensor,
                      const char* head_name) {
  const int64_t index = first_not_finite(tensor);
  if (index < 0) return;
  const int64_t columns = tensor.shape()[2], heads = tensor.shape()[1];
  const auto indptr = tensors.q_indptr.as<int32_t>();
  const int64_t row = index / columns / heads;
  const auto request = std::upper_bound(indptr.begin(), indptr.end(), row) - indptr.begin() - 1;
  const Request& lengths = problem.requests[static_cast<size_t>(request)];
  const int64_t query = row - indptr[static_cast<size_t>(request)];
  refuse(fmt::format("{} of request {}, query {} (token {}), {} {}, column {}", name, request, query,
                     lengths.key_length - lengths.query_length + query, head_name, index / columns % heads,
                     index % columns),
         tensor, index);
}

struct Pool {
  const char* name;
  const Tensor& tensor;
  int64_t (*index)(const Problem& problem, int64_t page, int slot, int head, int column);
};

bool is_finite(const Problem& problem, const Pool& pool, const SeenSlots& slots) {
  const auto holds = [&](int64_t first, int64_t count) {
    return first_not_finite(pool.tensor, first, count) < 0;
  };
  const int64_t row = int64_t{problem.kv_heads} * problem.head_dim;
  const int count = slots.last_slot - slots.first_slot;
  if (count == problem.page_size) return holds(slots.page * problem.page_elements(), problem.page_elements());
  if (problem.kv_layout == KvLayout::linear)
    return holds(pool.index(problem, slots.page, slots.first_slot, 0, 0), count * row);
  for (int slot = slots.first_slot; slot < slots.last_slot; ++slot)
    for (int head = 0; head < problem.kv_heads; ++head)
      for (int column = 0; column < problem.head_dim; ++column)
        if (!holds(pool.index(problem, slots.page, slot, head, column), 1)) return false;
  return true;
}

// The first in these slots, of which there is one.
[[noreturn]] void refuse(const Problem& problem, const Pool& pool, const SeenSlots& slots) {
  for (int slot = slots.first_slot;; ++slot)
    for (int head = 0; head < problem.kv_heads; ++head)
      for (int column = 0; column < problem.head_dim; ++column) {
        const int64_t index = pool.index(problem, slots.page, slot, head, column);
        if (first_not_finite(pool.tensor, index, 1) < 0) continue;
        refuse(fmt::format("{} of request {}, token {} (page {}, slot {}), KV head {}, column {}", pool.name,
                           slots.request, slots.first_token + slot - slots.first_slot, slots.page, slot, head,
                           column),
               pool.tensor, index);
      }
}

void check_pool(const Problem& problem, const Pool& pool, const std::vector<SeenSlots>& seen) {
  std::vector<uint8_t> wrong(seen.size()); // bytes, which threads may write side by side
  numerics::parallel_for(std::ssize(seen), [&](int64_t i) {
    wrong[static_cast<size_t>(i)] = !is_finite(problem, pool, seen[static_cast<size_t>(i)]);
  });
  const SeenSlots* first = nullptr; // by request, while `seen` is ordered by page
  const auto place = [](const SeenSlots& slots) { return std::pair(slots.request, slots.first_token); };
  for (size_t i = 0; i < seen.size(); ++i)
    if (wrong[i] && (first == nullptr || place(seen[i]) < place(*first))) first = &seen[i];
  if (first != nullptr) refuse(problem, pool, *first);
}

void check_paged(const Problem& problem, const Tensors& tensors) {
  const bool append = problem.op == Operator::append_prefill;
  check_query_rows(problem, tensors, "q", tensors.q, "head");
  if (append) {
    check_query_rows(problem, tensors, "k_new", tensors.k_new, "KV head");
    check_query_rows(problem, tensors, "v_new", tensors.v_new, "KV head");
  }
  const std::vector<SeenSlots> seen = seen_slots(problem, tensors);
  check_pool(problem, {append ? "k_cache" : "k_pool", tensors.k_pool, k_index}, seen);
  check_pool(problem, {append ? "v_cache" : "v_pool", tensors.v_pool, v_index}, seen);
}

struct RowPart { // of Q, of the pool or of the chunk
  std::string name;
  const Tensor& tensor;
  int64_t columns; // that are values; packed rows have scales and padding behind them
};

void check_rows(const RowPart& part, const std::vector<int32_t>& rows,
                const std::function<std::string(int32_t)>& text_of_row) {
  if (rows.empty()) return;
  const int64_t stride = part.tensor.shape()[1];
  std::vector<int64_t> places(rows.size());
  numerics::parallel_for(std::ssize(rows), [&](int64_t i) {
    places[static_cast<size_t>(i)] =
        first_not_finite(part.tensor, rows[static_cast<size_t>(i)] * stride, part.columns);
  });
  for (size_t i = 0; i < rows.size(); ++i)
    if (places[i] >= 0)
      refuse(fmt::format("{} of {}, column {}", part.name, text_of_row(rows[i]), places[i] % stride),
             part.tensor, places[i]);
}

void check_rows(const std::string& name, const SparseRows& rows, const std::vector<int32_t>& read,
                const std::function<std::string(int32_t)>& text_of_row) {
  const bool whole = rows.nope.type() == ElementType::bf16; // all columns are in it
  check_rows({name + ".nope", rows.nope, whole ? sparse::head_dim : sparse::nope_columns}, read, text_of_row);
  if (!whole) check_rows({name + ".rope", rows.rope, sparse::rope_columns}, read, text_of_row);
}

void check_listed(const std::string& name, const SparseRows& rows, const Tensor& indptr,
                  const Tensor& indices) {
  check_rows(name, rows, listed_rows(indptr, indices), [&](int32_t row) {
    const auto offsets = indptr.as<int32_t>();
    const auto listed = indices.as<int32_t>();
    const auto place = std::ranges::find(listed, row) - listed.begin();
    const auto token = std::upper_bound(offsets.begin(), offsets.end(), place) - offsets.begin() - 1;
    return fmt::format("row {}, which token {} lists", row, token);
  });
}

void check_sparse(const Problem& problem, const SparseTensors& t) {
  std::vector<int32_t> of_queries(static_cast<size_t>(t.q.rows()));
  std::iota(of_queries.begin(), of_queries.end(), 0);
  check_rows("q", t.q, of_queries, [&](int32_t row) {
    return fmt::format("token {}, head {}", row / problem.query_heads, row % problem.query_heads);
  });
  check_listed("pool", t.pool, t.prefix_indptr, t.prefix_indices);
  check_listed("chunk", t.chunk, t.extend_indptr, t.extend_indices);
}

} // namespace

void validate_values(const Problem& problem, const Tensors& tensors) {
  if (problem.op == Operator::sparse_prefill)
    check_sparse(problem, tensors.sparse);
  else
    check_paged(problem, tensors);
}

} // namespace fmha950::workload
