#pragma once
// Scores of some rows that share their keys, in the arithmetic of `Scalar`.

#include "impl_reference/attention/gather.hpp"
#include "interface/visibility.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

namespace fmha950::reference::FMHA950_SIMD {

inline constexpr int key_block = 512; // a block of K and of V fits the second-level cache

struct SharedKeys {
  std::vector<Visibility> visibility; // of each row
  int keys = 0;                       // that some row sees: [0, keys)
};

inline SharedKeys shared_keys(const Gather& gather, std::span<const QueryHead> rows) {
  SharedKeys shared;
  int64_t keys = 0;
  for (const QueryHead& row : rows) {
    shared.visibility.push_back(gather.visibility(row.row));
    keys = std::max(keys, shared.visibility.back().end);
  }
  shared.keys = static_cast<int>(keys);
  return shared;
}

// Calls use(first, count) for each block of keys that has a key some row sees.
template <class Use> void for_each_seen_block(const SharedKeys& shared, Use use) {
  for (int first = 0; first < shared.keys; first += key_block) {
    const int count = std::min(key_block, shared.keys - first);
    const auto sees = [&](const Visibility& row) { return row.sees_any(first, first + count); };
    if (std::any_of(shared.visibility.begin(), shared.visibility.end(), sees)) use(first, count);
  }
}

// [rows, keys], zeros in the blocks in which no row sees a key. The others are left to whoever fills them: zeros
// there would cost a pass over memory.
inline Matrix<float> zeros_in_unseen_blocks(Eigen::Index rows, const SharedKeys& shared) {
  Matrix<float> matrix(rows, shared.keys);
  int next = 0;
  const auto zero_until = [&](int first) { matrix.middleCols(next, first - next).setZero(); };
  for_each_seen_block(shared, [&](int first, int count) {
    zero_until(first);
    next = first + count;
  });
  zero_until(shared.keys);
  return matrix;
}

template <class Scalar> Scalar capped(Scalar score, Scalar cap) {
  return cap > 0 ? cap * std::tanh(score / cap) : score;
}

// scale * descales * <q, k> of every row and key of a block, capped.
template <class Scalar>
Matrix<Scalar> score_block(const Problem& problem, const Gathered<Scalar>& q, const Gathered<Scalar>& k) {
  Matrix<Scalar> scores = q.values * k.values.transpose();
  const Scalar cap = problem.soft_cap, scale = problem.softmax_scale();
  for (Eigen::Index r = 0; r < scores.rows(); ++r)
    scores.row(r).array() *= scale * q.factor(r) * k.factor.transpose().array();
  if (cap > 0) scores = scores.unaryExpr([=](Scalar score) { return capped(score, cap); });
  return scores;
}

// The same of all keys; -inf where a row does not see a key.
template <class Scalar>
Matrix<Scalar> scores_of(const Gather& gather, std::span<const QueryHead> rows, const SharedKeys& shared) {
  const Gathered<Scalar> q = gather.queries<Scalar>(rows);
  Matrix<Scalar> scores =
      Matrix<Scalar>::Constant(q.values.rows(), shared.keys, -std::numeric_limits<Scalar>::infinity());
  for_each_seen_block(shared, [&](int first, int count) {
    const Matrix<Scalar> block = score_block(gather.problem(), q, gather.keys<Scalar>(rows[0], first, count));
    scores.middleCols(first, count) = block;
    for (Eigen::Index r = 0; r < scores.rows(); ++r)
      shared.visibility[static_cast<size_t>(r)].for_each_unseen(
          first, first + count, [&](int64_t begin, int64_t end) {
            scores.row(r).segment(begin, end - begin).setConstant(-std::numeric_limits<Scalar>::infinity());
          });
  });
  return scores;
}

} // namespace fmha950::reference::FMHA950_SIMD
