#pragma once
// In how many directions the errors of a row's keys point. Values that are alike (a page of constants, a
// table of one-hot rows) make errors that are alike: the noise of D columns is then that of a few.

#include "impl_reference/attention/scores.hpp"

namespace fmha950::reference::FMHA950_SIMD {

// Values along the axes of a random basis, [basis, keys]; the basis has a power of two axes, D of V or more.
Matrix<float> rotated(const Matrix<float>& values);

// Estimates sum <v_j, v_k>^2 e_j e_k over pairs of different keys, where e is the variance of a key's weight
// in a row: the square of the errors' covariance C, without what each key adds by itself. C is looked at in a
// random basis: off the diagonal its elements have a mean square of (|C|^2 - tr(C)^2 / D) / (D - 1)(D + 2). A
// sample of them says how much larger |C|^2 is than that of a C without any direction; of C of one direction
// to a third.
class Alignment {
 public:
  // `along`: a direction that values do not count in; zeros for none.
  Alignment(Eigen::Index rows, Eigen::RowVectorXf along);

  // `error`: [rows, keys]. `copies`: for each key, how many errors are one. `in_basis`: rotated(values).
  void add(const auto& error, const auto& copies, const Matrix<float>& values,
           const Matrix<float>& in_basis) {
    const Matrix<float> products = pair_products(values, in_basis);
    elements_.noalias() += error * products.transpose();
    const Eigen::RowVectorXf squares = products.colwise().squaredNorm().array() * copies;
    alone_.noalias() += error.cwiseAbs2() * squares.transpose();
  }

  // By how much the sum is larger than that of the same errors in any direction, and than the sample may make
  // it by chance. `fourth`: the sum of the squares of the keys' own e |v|^2.
  double excess(Eigen::Index row, double fourth) const;

 private:
  // [pairs, keys]
  Matrix<float> pair_products(const Matrix<float>& values, const Matrix<float>& in_basis) const;

  Eigen::RowVectorXf along_;
  Matrix<float> rotated_along_; // [basis, 1]
  Matrix<float> elements_;      // of C: [rows, pairs]
  Vector<float> alone_;         // of each row, the sum over pairs of the keys' own squares
};

} // namespace fmha950::reference::FMHA950_SIMD
