#pragma once
// What rounding a row's output leaves.

#include "impl_reference/attention/scores.hpp"

namespace fmha950::reference::FMHA950_SIMD {

// Variances of the errors, whitened and not, summed over columns.
struct OutputNoise {
  double plain = 0, whitened = 0, along = 0;
  // Noise across o. Columns with equal o round equally. `square` is the squared covariance of a type with equal
  // steps in all columns.
  double across = 0, square = 0;
  double lost = 0; // along o: elements so small that they are taken for 0, all of them
};

// A row's whitened output as the audit looks at it, times the row's scale (AuditWeights).
struct OutputRow {
  OutputRow(const Vector<float>& column_scale, std::span<const double> exact, double row_scale,
            ElementType type);

  // `result` less the exact output, whitened; 0 if that is no number.
  Eigen::VectorXd error_of(std::span<const double> result) const;
  // A result midway between two numbers of the output's type may become either, and inputs that count lie
  // there in every column: a kernel that takes the other one than the plain implementation has made no
  // mistake, and `got` takes plain's error.
  void settle_ties(Eigen::VectorXd& got, const Eigen::VectorXd& plain) const;
  // Also writes the whitened variance of each column.
  OutputNoise noise(Eigen::Ref<Eigen::RowVectorXf> of_columns) const;

  const Vector<float>& column_scale;
  std::span<const double> exact;
  double row_scale;
  Eigen::VectorXd o, unit; // unit is 0 where o is
  Eigen::VectorXd step;    // of the output's type, not whitened
};

} // namespace fmha950::reference::FMHA950_SIMD
