#include "numerics/threads.hpp"
#include "operators/sparse_prefill/definition.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"
#include "workload/finite.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace fmha950::operators {
namespace {

using namespace workload;

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
      refuse_value(fmt::format("{} of {}, column {}", part.name, text_of_row(rows[i]), places[i] % stride),
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

} // namespace

void check_sparse_values(const Problem& problem, const Tensors& tensors) {
  const SparseTensors& t = sparse_tensors(tensors);
  std::vector<int32_t> of_queries(static_cast<size_t>(t.q.rows()));
  std::iota(of_queries.begin(), of_queries.end(), 0);
  check_rows("q", t.q, of_queries, [&](int32_t row) {
    return fmt::format("token {}, head {}", row / problem.query_heads, row % problem.query_heads);
  });
  check_listed("pool", t.pool, t.prefix_indptr, t.prefix_indices);
  check_listed("chunk", t.chunk, t.extend_indptr, t.extend_indices);
}

} // namespace fmha950::operators
