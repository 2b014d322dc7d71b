#include "impl_reference/audit/alignment.hpp"

#include <bit>
#include <random>

namespace fmha950::reference::FMHA950_SIMD {
namespace {

constexpr Eigen::Index pairs = 64;
constexpr Eigen::Index lanes = 32; // keys at a time, so that the columns of all stay in the first cache

// Column pairs that are all different, and of different distances once the first half of a basis is used.
std::pair<Eigen::Index, Eigen::Index> pair_of(Eigen::Index index, Eigen::Index basis) {
  const Eigen::Index half = basis / 2, first = index % basis;
  return {first, (first + half + index / half) % basis};
}

using Columns = Eigen::Array<float, Eigen::Dynamic, lanes, Eigen::RowMajor>; // [basis, keys]

// Signs at random for the two rounds of a rotation; they are the same in every run.
std::vector<bool> random_signs(Eigen::Index count) {
  std::minstd_rand random(950);
  std::vector<bool> negative;
  for (Eigen::Index i = 0; i < count; ++i) negative.push_back((random() >> 8 & 1) != 0);
  return negative;
}

// Twice: signs at random, and Hadamard's transform. What is left of the values' own basis is nothing. A
// rotation but for a factor, the basis' size.
void rotate(Columns& columns, const std::vector<bool>& negative) {
  const Eigen::Index basis = columns.rows();
  for (Eigen::Index round = 0; round < 2; ++round) {
    for (Eigen::Index i = 0; i < basis; ++i)
      if (negative[static_cast<size_t>(round * basis + i)]) columns.row(i) = -columns.row(i);
    for (Eigen::Index width = 1; width < basis; width *= 2)
      for (Eigen::Index first = 0; first < basis; first += 2 * width)
        for (Eigen::Index i = first; i < first + width; ++i) {
          const Eigen::Array<float, 1, lanes> a = columns.row(i), b = columns.row(i + width);
          columns.row(i) = a + b;
          columns.row(i + width) = a - b;
        }
  }
}

Eigen::Index basis_of(Eigen::Index columns) {
  return static_cast<Eigen::Index>(std::bit_ceil(static_cast<uint64_t>(std::max<Eigen::Index>(16, columns))));
}

} // namespace

Matrix<float> rotated(const Matrix<float>& values) {
  const Eigen::Index basis = basis_of(values.cols());
  const std::vector<bool> negative = random_signs(2 * basis);
  Matrix<float> result(basis, values.rows());
  Columns columns(basis, lanes);
  for (Eigen::Index first = 0; first < values.rows(); first += lanes) {
    const Eigen::Index keys = std::min(lanes, values.rows() - first);
    columns.setZero();
    columns.topLeftCorner(values.cols(), keys) = values.middleRows(first, keys).transpose().array();
    rotate(columns, negative);
    result.middleCols(first, keys) = columns.leftCols(keys).matrix();
  }
  return result;
}

Alignment::Alignment(Eigen::Index rows, Eigen::RowVectorXf along)
    : along_(std::move(along)), rotated_along_(rotated(along_)), elements_(Matrix<float>::Zero(rows, pairs)),
      alone_(Vector<float>::Zero(rows)) {}

Matrix<float> Alignment::pair_products(const Matrix<float>& values, const Matrix<float>& in_basis) const {
  const Eigen::Array<float, 1, Eigen::Dynamic> with_along = (values * along_.transpose()).transpose();
  const auto size = static_cast<float>(in_basis.rows());
  const float unit = 1 / (size * size);
  const auto across = [&](Eigen::Index column) {
    return in_basis.row(column).array() - rotated_along_(column, 0) * with_along;
  };
  Matrix<float> products(pairs, values.rows());
  for (Eigen::Index i = 0; i < pairs; ++i) {
    const auto [a, b] = pair_of(i, in_basis.rows());
    products.row(i) = (unit * across(a) * across(b)).matrix();
  }
  return products;
}

double Alignment::excess(Eigen::Index row, double fourth) const {
  const double squares = elements_.row(row).cast<double>().squaredNorm() - alone_(row);
  const auto basis = static_cast<double>(rotated_along_.rows());
  const double chance = std::sqrt(2.0 / pairs) * fourth; // a deviation, of keys that have nothing in common
  return std::max(0.0, squares / pairs * (basis - 1) * (basis + 2) - chance);
}

} // namespace fmha950::reference::FMHA950_SIMD
