#pragma once
// The values that some rows share, as the audit looks at them: columns divided by their RMS ("whitened"), and
// without a few directions that are too loud to hear anything else in. Kept while the rows are audited, where
// they are not too many.

#include "impl_reference/attention/scores.hpp"

#include <map>

namespace fmha950::reference::FMHA950_SIMD {

// Of a contribution's square, across all directions: with less it says more of them than of itself.
inline constexpr float least_heard = 0.01f;

// RMS of each column of the values that `row` shares, 1 for one that is 0.
template <class Gather> Vector<float> column_scale(const Gather& gather, const QueryHead& row, int keys) {
  Eigen::RowVectorXd squares = Eigen::RowVectorXd::Zero(gather.problem().head_dim);
  for (int first = 0; first < keys; first += key_block) {
    const Gathered<float> v = gather.template values<float>(row, first, std::min(key_block, keys - first));
    const Matrix<float> values = v.factor.asDiagonal() * v.values;
    squares += values.template cast<double>().cwiseAbs2().colwise().sum();
  }
  const Vector<float> scale = (squares / std::max(keys, 1)).cwiseSqrt().transpose().cast<float>();
  return (scale.array() > 0).select(scale, 1.0f);
}

// Takes the components along orthonormal rows out of each row of `vectors`. What fp32 leaves of a row that
// lies in them is no value of its own.
inline void take_out(const Matrix<float>& directions, Matrix<float>& vectors) {
  constexpr float nothing = 1e-10f; // of a square
  if (directions.rows() == 0) return;
  const Vector<float> before = vectors.rowwise().squaredNorm();
  const Matrix<float> components = vectors * directions.transpose();
  vectors.noalias() -= components * directions;
  for (Eigen::Index r = 0; r < vectors.rows(); ++r)
    if (vectors.row(r).squaredNorm() <= nothing * before(r)) vectors.row(r).setZero();
}

template <class Gather> class AuditValues {
 public:
  AuditValues(const Gather& gather, const QueryHead& row, const Vector<float>& scale,
              const SharedKeys& shared)
      : gather_(gather), row_(row), inverse_scale_(scale.cwiseInverse()) {
    constexpr int64_t most_kept = int64_t{1} << 25; // numbers
    if (int64_t{shared.keys} * scale.size() > most_kept) return;
    for_each_seen_block(shared,
                        [&](int first, int count) { kept_.try_emplace(first, gathered(first, count)); });
  }

  // A block of for_each_seen_block, until the next call.
  const Matrix<float>& block(int first, int count) {
    if (directions_.rows() == 0) return whole(first, count);
    return block_ = across_directions(whole(first, count));
  }
  // With what they have along the directions.
  const Matrix<float>& whole(int first, int count) {
    if (const auto kept = kept_.find(first); kept != kept_.end()) return kept->second;
    return whole_ = gathered(first, count);
  }
  // Of any key, also of one that no row sees.
  Matrix<float> of_key(int key) const { return across_directions(gathered(key, 1)); }
  // From now on blocks are without these directions.
  void take_out_directions(const Matrix<float>& directions) { directions_ = directions; }
  const Matrix<float>& directions() const { return directions_; }

 private:
  // Of a value that is all but one of the directions nothing is left but fp32's rounding.
  Matrix<float> across_directions(Matrix<float> values) const {
    if (directions_.rows() == 0) return values;
    const Vector<float> whole = values.rowwise().squaredNorm();
    take_out(directions_, values);
    for (Eigen::Index j = 0; j < values.rows(); ++j)
      if (values.row(j).squaredNorm() < least_heard * whole(j)) values.row(j).setZero();
    return values;
  }
  Matrix<float> gathered(int first, int count) const {
    const Gathered<float> v = gather_.template values<float>(row_, first, count);
    return v.factor.asDiagonal() * v.values * inverse_scale_.asDiagonal();
  }

  const Gather& gather_;
  QueryHead row_;
  Vector<float> inverse_scale_;
  std::map<int, Matrix<float>> kept_; // blocks by their first key
  Matrix<float> block_, whole_;       // the last ones that were not
  Matrix<float> directions_;          // [directions, D], orthonormal
};

} // namespace fmha950::reference::FMHA950_SIMD
