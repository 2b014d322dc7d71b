#pragma once
// A generated problem of sparse_prefill, looked at row by row and list by list.

#include "interface/case_string.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "workload/generate.hpp"

#include <array>
#include <cstring>
#include <set>

namespace fmha950::workload {

struct SparseWorkload {
  explicit SparseWorkload(const std::string& rest)
      : problem(parse_case("sparse_prefill/scale=0.0442/" + rest)), tensors(workload::make_tensors(problem)),
        lists(*sparse_lists(problem)), t(sparse_tensors(tensors)) {}
  Problem problem;
  Tensors tensors;
  const SparseLists& lists;
  const SparseTensors& t;

  std::vector<std::vector<int32_t>> prefix_lists() const {
    return lists_of(t.prefix_indptr, t.prefix_indices);
  }
  std::vector<std::vector<int32_t>> extend_lists() const {
    return lists_of(t.extend_indptr, t.extend_indices);
  }
  // Any row of Q, or a row of pool or chunk that is listed.
  std::array<float, sparse::head_dim> values(const SparseRows& rows, int64_t row) const {
    std::array<float, sparse::head_dim> columns;
    read_row(problem, rows, row, std::span<float, sparse::head_dim>(columns));
    return columns;
  }

 private:
  std::vector<std::vector<int32_t>> lists_of(const Tensor& indptr, const Tensor& indices) const {
    std::vector<std::vector<int32_t>> result;
    const auto ends = indptr.as<int32_t>(), ids = indices.as<int32_t>();
    for (int token = 0; token < lists.tokens; ++token)
      result.emplace_back(ids.begin() + ends[token], ids.begin() + ends[token + 1]);
    return result;
  }
};

inline bool names_each_once(const std::vector<int32_t>& list, int rows) {
  return static_cast<int>(std::set(list.begin(), list.end()).size()) == rows;
}

inline bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.type() == b.type() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.bytes()) == 0);
}

} // namespace fmha950::workload
