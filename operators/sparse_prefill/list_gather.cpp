#include "operators/sparse_prefill/list_gather.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <map>

namespace fmha950::reference::FMHA950_SIMD {

ListGather::ListGather(const Problem& problem, const Tensors& tensors, OracleInput input, HiddenKeys)
    : GatherOf(problem, tensors), input_(input) {}

Visibility ListGather::visibility(const QueryRow& row) const {
  return {.sink_end = 0, .window_begin = 0, .end = TokenLists(sparse_tensors(tensors_), row.query).size()};
}

template <class Scalar> Gathered<Scalar> ListGather::gather(Eigen::Index count, auto row_at) const {
  constexpr int columns = sparse::head_dim;
  Gathered<Scalar> result{Matrix<Scalar>(count, columns),
                          Eigen::Matrix<Scalar, Eigen::Dynamic, 1>::Ones(count)};
  for (Eigen::Index i = 0; i < count; ++i) {
    const ListedRow listed = row_at(static_cast<int>(i));
    const std::span<Scalar, columns> into(&result.values(i, 0), columns);
    const Tensor& original = listed.of->original;
    if (input_ == OracleInput::original && !original.empty())
      std::copy_n(original.as<float>().begin() + int64_t{listed.row} * columns, columns, into.begin());
    else
      read_row(problem_, *listed.of, listed.row, into);
  }
  return result;
}

template <class Scalar> Gathered<Scalar> ListGather::queries(std::span<const QueryHead> rows) const {
  return gather<Scalar>(static_cast<Eigen::Index>(rows.size()), [&](int i) {
    return ListedRow{&sparse_tensors(tensors_).q, rows[i].row.query * problem_.query_heads + rows[i].head};
  });
}

template <class Scalar> Gathered<Scalar> ListGather::keys(const QueryHead& row, int first, int count) const {
  const TokenLists lists(sparse_tensors(tensors_), row.row.query);
  return gather<Scalar>(count, [&](int i) { return lists[first + i]; });
}

ValueScales ListGather::value_scales(const QueryHead& row, int first, int count) const {
  const TokenLists lists(sparse_tensors(tensors_), row.row.query);
  const int columns = columns_of_scale(problem_);
  ValueScales scales{Matrix<float>(count, sparse::head_dim / columns), columns};
  for (int i = 0; i < count; ++i) {
    const ListedRow listed = lists[first + i];
    read_scales(problem_, *listed.of, listed.row,
                {&scales.of_key(i, 0), static_cast<size_t>(scales.of_key.cols())});
  }
  return scales;
}

std::vector<float> ListGather::copies(const QueryHead& row, int keys) const {
  const TokenLists lists(sparse_tensors(tensors_), row.row.query);
  std::map<std::pair<const SparseRows*, int32_t>, float> named;
  for (int i = 0; i < keys; ++i) ++named[{lists[i].of, lists[i].row}];
  std::vector<float> copies;
  if (named.size() == static_cast<size_t>(keys)) return copies;
  for (int i = 0; i < keys; ++i) copies.push_back(named[{lists[i].of, lists[i].row}]);
  return copies;
}

std::vector<int> ListGather::segments(const QueryHead& row) const {
  const TokenLists lists(sparse_tensors(tensors_), row.row.query);
  return {static_cast<int>(lists.prefix.size()), lists.size()};
}

template Gathered<double> ListGather::queries(std::span<const QueryHead>) const;
template Gathered<float> ListGather::queries(std::span<const QueryHead>) const;
template Gathered<double> ListGather::keys(const QueryHead&, int, int) const;
template Gathered<float> ListGather::keys(const QueryHead&, int, int) const;

} // namespace fmha950::reference::FMHA950_SIMD
