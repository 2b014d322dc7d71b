#pragma once
// What the tensors of sparse_prefill say, row by row and list by list (sparse_tensors.hpp). All of it relies
// on validated tensors, and never looks at the padding of the lists.

#include "interface/problem.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace fmha950 {

// Row `row` of Q, of the pool or of the chunk, dequantised. Doubles hold every value exactly, floats those
// whose scale does not leave their range; nothing rounds or saturates otherwise.
template <class Scalar>
void read_row(const Problem& problem, const SparseRows& rows, int64_t row,
              std::span<Scalar, sparse::head_dim> columns);

extern template void read_row(const Problem&, const SparseRows&, int64_t, std::span<float, sparse::head_dim>);
extern template void read_row(const Problem&, const SparseRows&, int64_t,
                              std::span<double, sparse::head_dim>);

// Columns that share a scale. Rows without scales, and ROPE columns, have scales of 1.
int columns_of_scale(const Problem& problem);
// The scales of a row, head_dim / columns_of_scale() of them.
void read_scales(const Problem& problem, const SparseRows& rows, int64_t row, std::span<float> scales);

struct ListedRow {
  const SparseRows* of = nullptr; // the pool or the chunk
  int32_t row = 0;
};

// The keys of one token in list order: the rows of the prefix list, then those of the extend list.
class TokenLists {
 public:
  TokenLists(const SparseTensors& tensors, int64_t token);

  int size() const { return static_cast<int>(prefix.size() + extend.size()); }
  ListedRow operator[](int position) const;

  std::span<const int32_t> prefix, extend;

 private:
  const SparseTensors& tensors_;
};

// How many keys each token has, `times` over: of a grid of tokens (x) by parts of their heads (y) the work of each
// workgroup, where workgroup x has token order[x].
std::vector<uint32_t> keys_of_workgroups(const SparseTensors& tensors, std::span<const int32_t> order,
                                         unsigned times);

// Every row that the valid prefix of a list names, ascending, each once.
std::vector<int32_t> listed_rows(const Tensor& indptr, const Tensor& indices);

} // namespace fmha950
