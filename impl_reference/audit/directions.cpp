#include "impl_reference/audit/directions.hpp"

namespace fmha950::reference::FMHA950_SIMD {

Matrix<float> loud_directions(const AuditValues& values, const std::vector<double>& noise) {
  constexpr int most_shared_directions = 16;
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

std::vector<bool> make_directions(Matrix<float>& vectors, std::span<const Matrix<float>> others) {
  constexpr float nothing = 1e-5f; // of a length, in fp32
  std::vector<bool> left;
  for (Eigen::Index r = 0; r < vectors.rows(); ++r) {
    const float before = vectors.row(r).norm();
    for (const Matrix<float>& other : others)
      vectors.row(r) -= vectors.row(r).dot(other.row(r)) * other.row(r);
    const float length = vectors.row(r).norm();
    left.push_back(length > nothing * before && length > 0);
    if (left.back())
      vectors.row(r) /= length;
    else
      vectors.row(r).setZero();
  }
  return left;
}

Eigen::RowVectorXf mean_direction(const Matrix<float>& rows) {
  const Eigen::RowVectorXf sum = rows.colwise().sum();
  return sum.squaredNorm() > 0 ? Eigen::RowVectorXf(sum.normalized()) : sum;
}

} // namespace fmha950::reference::FMHA950_SIMD
