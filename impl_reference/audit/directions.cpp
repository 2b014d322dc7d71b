#include "impl_reference/audit/directions.hpp"

namespace fmha950::reference::FMHA950_SIMD {

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
