#pragma once
// The gather of sparse_prefill: the rows that a token lists, in list order, prefix before extend. A value is
// the row that is the key.

#include "impl_reference/attention/gather.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"

namespace fmha950::reference::FMHA950_SIMD {

class ListGather final : public GatherOf<ListGather> {
 public:
  // Keys that nobody sees are asked for of requests alone.
  ListGather(const Problem& problem, const Tensors& tensors, OracleInput input, HiddenKeys = {});

  Visibility visibility(const QueryRow& row) const override; // all that the row lists
  template <class Scalar> Gathered<Scalar> queries(std::span<const QueryHead> rows) const;
  template <class Scalar> Gathered<Scalar> keys(const QueryHead& row, int first, int count) const;
  template <class Scalar> Gathered<Scalar> values(const QueryHead& row, int first, int count) const {
    return keys<Scalar>(row, first, count);
  }
  ValueScales value_scales(const QueryHead& row, int first, int count) const override;
  std::vector<int> segments(const QueryHead& row) const override; // rows of the pool, rows of the chunk
  int page_keys() const override { return 0; }
  std::vector<float> copies(const QueryHead& row, int keys) const override;

 private:
  // `count` rows; row_at(i) is a ListedRow.
  template <class Scalar> Gathered<Scalar> gather(Eigen::Index count, auto row_at) const;

  OracleInput input_;
};

} // namespace fmha950::reference::FMHA950_SIMD
