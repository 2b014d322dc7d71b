#include "impl_reference/attention.hpp"

#include "impl_reference/append_gather.hpp"
#include "impl_reference/list_gather.hpp"
#include "impl_reference/paged_gather.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace fmha950::reference {
namespace {

constexpr int key_block = 512; // a block of K and of V fits the second-level cache

// Calls use(first, count) for the blocks of [0, keys) of which some row sees a key.
template <class Use> void for_each_seen_block(std::span<const Visibility> rows, int keys, Use use) {
  for (int first = 0; first < keys; first += key_block) {
    const int count = std::min(key_block, keys - first);
    const auto sees = [&](const Visibility& row) { return row.sees_any(first, first + count); };
    if (std::any_of(rows.begin(), rows.end(), sees)) use(first, count);
  }
}

// scale * descales * <q, k>, capped; -inf where a row does not see a key.
template <class Scalar, class Gather>
Matrix<Scalar> scores_of(const Gather& gather, std::span<const QueryHead> rows,
                         std::span<const Visibility> visibility, int keys) {
  const Problem& problem = gather.problem();
  const Scalar cap = problem.soft_cap;
  const Gathered<Scalar> q = gather.template queries<Scalar>(rows);
  const Eigen::Index count_rows = q.values.rows();
  Matrix<Scalar> scores =
      Matrix<Scalar>::Constant(count_rows, keys, -std::numeric_limits<Scalar>::infinity());
  for_each_seen_block(visibility, keys, [&](int first, int count) {
    const Gathered<Scalar> k = gather.template keys<Scalar>(rows[0], first, count);
    const Matrix<Scalar> products = q.values * k.values.transpose();
    for (Eigen::Index r = 0; r < count_rows; ++r) {
      const Scalar factor = problem.softmax_scale() * q.factor(r);
      for (int j = 0; j < count; ++j) {
        if (!visibility[r].sees(first + j)) continue;
        const Scalar score = factor * k.factor(j) * products(r, j);
        scores(r, first + j) = cap > 0 ? cap * std::tanh(score / cap) : score;
      }
    }
  });
  return scores;
}

// Turns scores into 2^shift * exp(score - maximum) and returns their sum.
template <class Scalar> Scalar exponentiate(auto row, Scalar maximum, Scalar shift) {
  const Scalar log2e = std::numbers::log2e_v<Scalar>;
  for (Scalar& score : row)
    if constexpr (std::is_same_v<Scalar, double>)
      score = std::exp(score - maximum) * std::exp2(shift);
    else
      score = std::exp2((score - maximum) * log2e + shift); // base 2, as a GPU has it
  return row.sum();
}

} // namespace

template <class Scalar, class Gather>
void attend(const Gather& gather, std::span<const QueryHead> rows, const PRounding<Scalar>& rounding,
            AttentionRows& result) {
  constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
  const Problem& problem = gather.problem();
  const int columns = problem.head_dim;
  std::vector<Visibility> visibility;
  int64_t keys = 0;
  for (const QueryHead& row : rows) {
    visibility.push_back(gather.visibility(row.row));
    keys = std::max(keys, visibility.back().end);
  }
  Matrix<Scalar> p = scores_of<Scalar>(gather, rows, visibility, static_cast<int>(keys));
  const Eigen::Index count = p.rows();
  std::vector<Scalar> maximum(count, -infinity), sum(count, 0);
  for (Eigen::Index r = 0; r < count; ++r) {
    if (keys > 0) maximum[r] = p.row(r).maxCoeff();
    if (maximum[r] == -infinity)
      p.row(r).setZero(); // sees nothing
    else
      sum[r] = exponentiate<Scalar>(p.row(r), maximum[r], rounding.shift);
    if (rounding.round) p.row(r) = p.row(r).unaryExpr(rounding.round);
  }
  Matrix<Scalar> output = Matrix<Scalar>::Zero(count, columns);
  for_each_seen_block(visibility, static_cast<int>(keys), [&](int first, int block) {
    const Gathered<Scalar> v = gather.template values<Scalar>(rows[0], first, block);
    output.noalias() += p.middleCols(first, block) * (v.factor.asDiagonal() * v.values);
  });
  const Tensor& sink_logit = gather.tensors().sink_logit;
  const auto sinks = sink_logit.as<float>();
  for (Eigen::Index r = 0; r < count; ++r) {
    // The sink joins at whichever of the two maxima is larger, so that neither term overflows.
    const Scalar sink = problem.sink_logit ? Scalar(sinks[rows[r].head]) : -infinity;
    const Scalar top = std::max(maximum[r], sink);
    const Scalar of_keys = maximum[r] == -infinity ? 0 : std::exp(maximum[r] - top);
    const Scalar of_sink = sink == -infinity ? 0 : std::exp(sink - top);
    const Scalar unshifted = sum[r] * std::exp2(-rounding.shift);
    const Scalar denominator = unshifted * of_keys + of_sink;
    const Scalar factor = sum[r] > 0 ? of_keys * std::exp2(-rounding.shift) / denominator : 0;
    result.lse[rows[r].place] = top == -infinity ? -infinity : top + std::log(denominator);
    for (int column = 0; column < columns; ++column)
      result.output[rows[r].place * columns + column] = output(r, column) * factor;
  }
}

template void attend(const PagedGather&, std::span<const QueryHead>, const PRounding<double>&,
                     AttentionRows&);
template void attend(const PagedGather&, std::span<const QueryHead>, const PRounding<float>&, AttentionRows&);
template void attend(const AppendGather&, std::span<const QueryHead>, const PRounding<double>&,
                     AttentionRows&);
template void attend(const AppendGather&, std::span<const QueryHead>, const PRounding<float>&,
                     AttentionRows&);
template void attend(const ListGather&, std::span<const QueryHead>, const PRounding<double>&, AttentionRows&);
template void attend(const ListGather&, std::span<const QueryHead>, const PRounding<float>&, AttentionRows&);

} // namespace fmha950::reference
