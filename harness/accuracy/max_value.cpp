#include "harness/accuracy/max_value.hpp"

#include "interface/sparse_rows.hpp"
#include "numerics/threads.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

namespace fmha950::harness {

namespace {

using UsedSlots = std::vector<std::pair<int32_t, int>>; // page, slots

// Tokens that some request keeps in each page it names, the chunk of append_prefill aside;
// shared pages count once.
UsedSlots used_slots(const Problem& problem, const Tensors& tensors) {
  std::map<int32_t, int> slots;
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const Request& request = problem.requests[static_cast<size_t>(r)];
    const int chunk = problem.op == Operator::append_prefill ? request.query_length : 0;
    const int keys = request.key_length - chunk;
    for (int first = 0; first < keys; first += problem.page_size) {
      int& used = slots[page_of(problem, tensors, r, first)];
      used = std::max(used, std::min(problem.page_size, keys - first));
    }
  }
  return {slots.begin(), slots.end()};
}

// The largest of largest_in(i) for i in [0, count).
template <class LargestIn> double largest_of(size_t count, const LargestIn& largest_in) {
  std::vector<double> largest(count, 0);
  numerics::parallel_for(static_cast<int64_t>(count), [&](int64_t i) {
    largest[static_cast<size_t>(i)] = largest_in(static_cast<size_t>(i));
  });
  return std::accumulate(largest.begin(), largest.end(), 0.0,
                         [](double a, double b) { return std::fmax(a, b); });
}

double largest_in_pages(const Problem& problem, const Tensors& tensors) {
  const Tensor& descale = tensors.v_descale;
  const bool per_page = problem.quantisation == Quantisation::kv_blockscale;
  const bool per_block = problem.quantisation == Quantisation::mx && descale.shape().size() == 4;
  const int64_t heads = problem.kv_heads, dim = problem.head_dim;
  const auto descale_at = [&](int64_t page, int slot, int64_t head, int64_t column) -> double {
    if (per_page) return descale.value(page * heads + head);
    if (per_block)
      return descale.value(((page * (problem.page_size / 32) + slot / 32) * heads + head) * dim + column);
    return descale.empty() ? 1 : descale.value(0);
  };
  const UsedSlots pages = used_slots(problem, tensors);
  return largest_of(pages.size(), [&](size_t i) {
    const auto [page, slots] = pages[i];
    double of_page = 0;
    for (int slot = 0; slot < slots; ++slot)
      for (int head = 0; head < problem.kv_heads; ++head)
        for (int column = 0; column < problem.head_dim; ++column) {
          const double value = tensors.v_pool.value(v_index(problem, page, slot, head, column));
          of_page = std::fmax(of_page, std::fabs(value * descale_at(page, slot, head, column)));
        }
    return of_page;
  });
}

double largest_in(const Tensor& tensor) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.elements(); ++i) largest = std::fmax(largest, std::fabs(tensor.value(i)));
  return largest;
}

double largest_in_rows(const Problem& problem, const SparseRows& rows, const std::vector<int32_t>& touched) {
  return largest_of(touched.size(), [&](size_t i) {
    std::array<double, sparse::head_dim> columns;
    read_row<double>(problem, rows, touched[i], columns);
    double of_row = 0;
    for (const double value : columns) of_row = std::fmax(of_row, std::fabs(value));
    return of_row;
  });
}

} // namespace

double max_value(const Problem& problem, const Tensors& tensors) {
  if (problem.op == Operator::append_prefill)
    return std::fmax(largest_in_pages(problem, tensors), largest_in(tensors.v_new));
  if (problem.op != Operator::sparse_prefill) return largest_in_pages(problem, tensors);
  const SparseTensors& t = tensors.sparse;
  return std::fmax(largest_in_rows(problem, t.pool, listed_rows(t.prefix_indptr, t.prefix_indices)),
                   largest_in_rows(problem, t.chunk, listed_rows(t.extend_indptr, t.extend_indices)));
}

} // namespace fmha950::harness
