#include "impl_reference/audit/alignment.hpp"

#include <bit>
#include <random>

namespace fmha950::reference::FMHA950_SIMD {
namespace {

constexpr Eigen::Index pairs = 64;

// Column pairs that are all different, and of different distances once the first half of a basis is used.
std::pair<Eigen::Index, Eigen::Index> pair_of(Eigen::Index index, Eigen::Index basis) {
  const Eigen::Index half = basis / 2, first = index % basis;
  return {first, (first + half + index / half) % basis};
}

// Twice: signs at random, and Hadamard's transform, which is a rotation. What is left of the values' own
// basis is nothing. `columns` is [basis, keys].
void rotate(Matrix<float>& columns) {
  const Eigen::Index basis = columns.rows();
  std::minstd_rand random(950);
  for (int round = 0; round < 2; ++round) {
    for (Eigen::Index i = 0; i < basis; ++i)
      if ((random() >> 8 & 1) != 0) columns.row(i) *= -1;
    for (Eigen::Index width = 1; width < basis; width *= 2)
      for (Eigen::Index i = 0; i < basis; ++i) {
        if ((i & width) != 0) continue;
        auto a = columns.row(i).array(), b = columns.row(i + width).array();
        a += b;
        b = a - 2 * b;
      }
    columns *= 1 / std::sqrt(static_cast<float>(basis));
  }
}

} // namespace

Alignment::Alignment(Eigen::Index rows, Eigen::RowVectorXf along)
    : along_(std::move(along)), basis_(static_cast<Eigen::Index>(std::bit_ceil(
                                    static_cast<uint64_t>(std::max<Eigen::Index>(16, along_.size()))))),
      elements_(Matrix<float>::Zero(rows, pairs)),
      alone_(Eigen::Matrix<float, Eigen::Dynamic, 1>::Zero(rows)) {}

Matrix<float> Alignment::pair_products(const Matrix<float>& values) const {
  Matrix<float> columns(basis_, values.rows());
  columns.topRows(values.cols()) = (values - (values * along_.transpose()) * along_).transpose();
  columns.bottomRows(basis_ - values.cols()).setZero();
  rotate(columns);
  Matrix<float> products(values.rows(), pairs);
  for (Eigen::Index i = 0; i < pairs; ++i) {
    const auto [a, b] = pair_of(i, basis_);
    products.col(i) = columns.row(a).cwiseProduct(columns.row(b)).transpose();
  }
  return products;
}

double Alignment::excess(Eigen::Index row, double fourth) const {
  const double squares = elements_.row(row).cast<double>().squaredNorm() - alone_(row);
  const auto basis = static_cast<double>(basis_);
  const double chance = std::sqrt(2.0 / pairs) * fourth; // a deviation, of keys that have nothing in common
  return std::max(0.0, squares / pairs * (basis - 1) * (basis + 2) - chance);
}

} // namespace fmha950::reference::FMHA950_SIMD
