#pragma once
// Attention in which every query sees the first key of its request. Scores are all 0.

#include "impl_reference/attention/gather.hpp"
#include "tests/operators/echo/echo_tensors.hpp"

namespace fmha950::reference::FMHA950_SIMD {

class EchoGather final : public GatherOf<EchoGather> {
 public:
  EchoGather(const Problem& problem, const Tensors& tensors, OracleInput, HiddenKeys)
      : GatherOf(problem, tensors) {}

  Visibility visibility(const QueryRow& row) const override {
    return {.sink_end = 0, .window_begin = 0, .end = std::min(1, keys_of(row))};
  }
  template <class Scalar> Gathered<Scalar> queries(std::span<const QueryHead> rows) const {
    return zeros<Scalar>(static_cast<Eigen::Index>(rows.size()));
  }
  template <class Scalar> Gathered<Scalar> keys(const QueryHead&, int, int count) const {
    return zeros<Scalar>(count);
  }
  template <class Scalar> Gathered<Scalar> values(const QueryHead& row, int first, int count) const {
    Gathered<Scalar> result = zeros<Scalar>(count);
    const auto& [values, k_indptr] = echo::own(tensors_);
    const int64_t head = row.head / problem_.heads_per_kv_head();
    const int64_t begin = k_indptr.as<int32_t>()[row.row.request];
    for (int i = 0; i < count; ++i)
      for (int column = 0; column < problem_.head_dim; ++column)
        result.values(i, column) =
            values.value(((begin + first + i) * problem_.kv_heads + head) * problem_.head_dim + column);
    return result;
  }
  ValueScales value_scales(const QueryHead&, int, int count) const override {
    return {Matrix<float>::Ones(count, 1), problem_.head_dim};
  }
  std::vector<int> segments(const QueryHead& row) const override { return {keys_of(row.row)}; }
  int page_keys() const override { return 0; }
  std::vector<float> copies(const QueryHead&, int) const override { return {}; }

 private:
  int keys_of(const QueryRow& row) const {
    return problem_.requests[static_cast<size_t>(row.request)].key_length;
  }
  template <class Scalar> Gathered<Scalar> zeros(Eigen::Index count) const {
    return {Matrix<Scalar>::Zero(count, problem_.head_dim), Vector<Scalar>::Ones(count)};
  }
};

using OperatorGather = EchoGather;

} // namespace fmha950::reference::FMHA950_SIMD
