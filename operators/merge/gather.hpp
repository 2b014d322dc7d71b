#pragma once
// The gather of merge: a row's keys are its parts. Q is 1 and K the natural LSE, in one column, so that a score is an
// LSE; V is the part's output. Empty parts have a score of -inf and zeros for an output.

#include "impl_reference/attention/gather.hpp"
#include "operators/merge/merge_tensors.hpp"

#include <limits>
#include <numbers>

namespace fmha950::reference::FMHA950_SIMD {

class MergeGather final : public GatherOf<MergeGather> {
 public:
  // Keys that nobody sees are asked for of requests alone.
  MergeGather(const Problem& problem, const Tensors& tensors, OracleInput, HiddenKeys)
      : GatherOf(problem, tensors), of_output_(output_strides(problem)), of_lse_(lse_strides(problem)) {}

  Visibility visibility(const QueryRow&) const override {
    return {.sink_end = 0, .window_begin = 0, .end = parts()};
  }
  bool scores_hide_keys() const override { return true; }
  template <class Scalar> Gathered<Scalar> queries(std::span<const QueryHead> rows) const {
    const auto count = static_cast<Eigen::Index>(rows.size());
    return {Matrix<Scalar>::Ones(count, 1), Vector<Scalar>::Ones(count)};
  }
  template <class Scalar> Gathered<Scalar> keys(const QueryHead& row, int first, int count) const {
    Gathered<Scalar> result{Matrix<Scalar>(count, 1), Vector<Scalar>::Ones(count)};
    const Scalar unit = merge_form(problem_)->base == LseBase::two ? std::numbers::ln2_v<Scalar> : Scalar(1);
    for (int i = 0; i < count; ++i) {
      const float lse = lse_of(row, first + i);
      result.values(i, 0) =
          is_empty_part(lse) ? -std::numeric_limits<Scalar>::infinity() : unit * Scalar(lse);
    }
    return result;
  }
  template <class Scalar> Gathered<Scalar> values(const QueryHead& row, int first, int count) const {
    const int columns = problem_.head_dim;
    Gathered<Scalar> result{Matrix<Scalar>::Zero(count, columns), Vector<Scalar>::Ones(count)};
    const Tensor& outputs = merge_tensors(tensors_).partial_output;
    for (int i = 0; i < count; ++i) {
      if (is_empty_part(lse_of(row, first + i))) continue;
      const int64_t place = of_output_.at(first + i, row.row.query, row.head) * columns;
      for (int column = 0; column < columns; ++column)
        result.values(i, column) = Scalar(outputs.value(place + column));
    }
    return result;
  }
  ValueScales value_scales(const QueryHead&, int, int count) const override {
    return {Matrix<float>::Ones(count, 1), problem_.head_dim};
  }
  std::vector<int> segments(const QueryHead&) const override { return {parts()}; }
  int page_keys() const override { return 0; }
  std::vector<float> copies(const QueryHead&, int) const override { return {}; }

 private:
  int parts() const { return merge_form(problem_)->parts; }
  float lse_of(const QueryHead& row, int part) const {
    return merge_tensors(tensors_)
        .partial_lse.as<float>()[static_cast<size_t>(of_lse_.at(part, row.row.query, row.head))];
  }

  PartStrides of_output_, of_lse_;
};

using OperatorGather = MergeGather;

} // namespace fmha950::reference::FMHA950_SIMD
