#pragma once
// Directions of the values in which the audit does not listen. Rounding errors of a key that dominates many
// rows all point along its value, those of P below the normal numbers all have one sign: neither is the noise
// across o that sigma is made of.

#include "impl_reference/audit/values.hpp"

namespace fmha950::reference::FMHA950_SIMD {

inline constexpr int most_shared_directions = 16;

// Orthonormal directions of the values of keys that make most of the noise. `noise`: each key's share
// of all rows' noise across o.
template <class Gather>
Matrix<float> loud_directions(const AuditValues<Gather>& values, const std::vector<double>& noise) {
  constexpr size_t candidates = 64;
  constexpr double least_share = 0.005;
  std::vector<int> keys(noise.size());
  for (size_t j = 0; j < keys.size(); ++j) keys[j] = static_cast<int>(j);
  const size_t count = std::min(candidates, keys.size());
  std::ranges::partial_sort(keys, keys.begin() + static_cast<std::ptrdiff_t>(count), std::greater{},
                            [&](int key) { return noise[static_cast<size_t>(key)]; });
  keys.resize(count);
  std::erase_if(keys, [&](int key) { return noise[static_cast<size_t>(key)] < least_share; });
  Matrix<float> directions(0, 0);
  if (keys.empty()) return directions;
  Matrix<float> left; // of their values
  for (const int key : keys) {
    const Matrix<float> value = values.of_key(key);
    left.conservativeResize(left.rows() + 1, value.cols());
    left.bottomRows(1) = value;
  }
  const Vector<float> norms = left.rowwise().squaredNorm();
  while (directions.rows() < most_shared_directions) {
    Eigen::Index loudest = 0;
    double share = 0;
    for (Eigen::Index i = 0; i < left.rows(); ++i) {
      const double own = norms(i) > 0 ? noise[static_cast<size_t>(keys[static_cast<size_t>(i)])] *
                                            left.row(i).squaredNorm() / norms(i)
                                      : 0;
      if (own > share) share = own, loudest = i;
    }
    if (share < least_share) break;
    const Matrix<float> direction = left.row(loudest).normalized();
    take_out(direction, left);
    directions.conservativeResize(directions.rows() + 1, left.cols());
    directions.bottomRows(1) = direction;
  }
  return directions;
}

// Makes each row of `vectors` orthogonal to the same row of `others`, and of length 1 or, where nothing is
// left, 0. Returns which rows are left.
std::vector<bool> make_directions(Matrix<float>& vectors, std::span<const Matrix<float>> others);

// The direction of the sum of rows; 0 where that sum is 0.
Eigen::RowVectorXf mean_direction(const Matrix<float>& rows);

} // namespace fmha950::reference::FMHA950_SIMD
