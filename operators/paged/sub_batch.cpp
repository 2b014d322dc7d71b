#include "operators/paged/sub_batch.hpp"

#include "interface/operator.hpp"
#include "workload/page_tables.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace fmha950::operators {
namespace {

// Of a tensor whose outermost dimension is rows or pages, these.
template <class Index> Tensor gathered(const Tensor& tensor, const std::vector<Index>& entries) {
  if (tensor.empty()) return tensor;
  std::vector<int64_t> shape = tensor.shape();
  const size_t bytes = tensor.bytes() / static_cast<size_t>(shape[0]);
  shape[0] = static_cast<int64_t>(entries.size());
  Tensor result(tensor.type(), shape);
  for (size_t i = 0; i < entries.size(); ++i)
    std::copy_n(tensor.data() + static_cast<size_t>(entries[i]) * bytes, bytes, result.data() + i * bytes);
  return result;
}

std::vector<int64_t> rows_of(const Problem& problem, const Tensors& tensors, std::span<const int> requests) {
  const auto indptr = tensors.q_indptr.as<int32_t>();
  std::vector<int64_t> rows;
  for (const int r : requests)
    for (int query = 0; query < problem.requests[static_cast<size_t>(r)].query_length; ++query)
      rows.push_back(int64_t{indptr[static_cast<size_t>(r)]} + query);
  return rows;
}

workload::PageAssignment pages_of(const Problem& problem, const Tensors& tensors,
                                  std::span<const int> requests) {
  workload::PageAssignment pages;
  pages.pool_pages = tensors.pool_pages();
  for (const int r : requests) {
    std::vector<int32_t>& list = pages.of_request.emplace_back();
    for (int token = 0; token < problem.requests[static_cast<size_t>(r)].key_length;
         token += problem.page_size)
      list.push_back(page_of(problem, tensors, r, token));
  }
  return pages;
}

// With paged=0 pages are consecutive from 0 on.
void take_pages(const Problem& problem, workload::PageAssignment& pages, Tensors& tensors) {
  std::vector<int32_t> taken;
  for (auto& list : pages.of_request)
    for (int32_t& page : list) {
      taken.push_back(page);
      page = static_cast<int32_t>(taken.size()) - 1;
    }
  pages.pool_pages = static_cast<int64_t>(taken.size());
  for (const TensorEntry& entry : problem.op->facts().tensors) {
    Tensor& tensor = entry.of(tensors);
    const bool by_page = entry.store != nullptr && tensor.elements() > 1; // one descale is of all pages
    if (by_page) tensor = gathered(tensor, taken);
  }
  tensors.written_pages.resize(taken.size());
  std::iota(tensors.written_pages.begin(), tensors.written_pages.end(), 0);
}

} // namespace

SubBatch sub_batch(const Problem& problem, const Tensors& tensors, std::span<const int> requests) {
  SubBatch of = {problem, tensors};
  of.tensors.q_original = of.tensors.k_original = of.tensors.v_original = Tensor();
  of.problem.trace.reset();
  of.problem.requests.clear();
  for (const int r : requests) of.problem.requests.push_back(problem.requests[static_cast<size_t>(r)]);

  const std::vector<int64_t> rows = rows_of(problem, tensors, requests);
  of.tensors.q = gathered(tensors.q, rows);
  of.tensors.tree_mask = gathered(tensors.tree_mask, rows);
  if (problem.quantisation == Quantisation::mx) of.tensors.q_descale = gathered(tensors.q_descale, rows);
  if (const AppendedRows* const appended = problem.op->facts().appends) {
    appended->k(of.tensors) = gathered(appended->k(of.tensors), rows);
    appended->v(of.tensors) = gathered(appended->v(of.tensors), rows);
    Tensor& positions = appended->positions(of.tensors);
    if (!positions.empty()) positions = gathered(positions, rows);
  }
  workload::PageAssignment pages = pages_of(problem, tensors, requests);
  if (!problem.paged) take_pages(problem, pages, of.tensors);
  workload::fill_page_tables(of.problem, pages, {}, of.tensors);
  return of;
}

} // namespace fmha950::operators
