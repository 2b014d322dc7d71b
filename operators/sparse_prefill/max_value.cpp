#include "operators/sparse_prefill/definition.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"
#include "workload/largest.hpp"

#include <array>

namespace fmha950::operators {
namespace {

double largest_in_rows(const Problem& problem, const SparseRows& rows, const std::vector<int32_t>& touched) {
  return workload::largest_of(touched.size(), [&](size_t i) {
    std::array<double, sparse::head_dim> columns;
    read_row<double>(problem, rows, touched[i], columns);
    double of_row = 0;
    for (const double value : columns) of_row = std::fmax(of_row, std::fabs(value));
    return of_row;
  });
}

} // namespace

double max_value_in_lists(const Problem& problem, const Tensors& tensors) {
  const SparseTensors& t = sparse_tensors(tensors);
  return std::fmax(largest_in_rows(problem, t.pool, listed_rows(t.prefix_indptr, t.prefix_indices)),
                   largest_in_rows(problem, t.chunk, listed_rows(t.extend_indptr, t.extend_indices)));
}

} // namespace fmha950::operators
