#pragma once
// A block of keys in the audit: what every pair of a row and a key says.

#include "impl_reference/audit/rows.hpp"

namespace fmha950::reference::FMHA950_SIMD {

using MatrixView = Eigen::Ref<const Matrix<float>, 0, Eigen::OuterStride<>>;

struct AuditBlock {
  int first = 0;               // key
  const Matrix<float>& values; // [keys, D], whitened
  // All [rows, keys].
  MatrixView p, slope;
  Matrix<float> square;           // |p v|^2 across the row's directions
  Matrix<float> deviation, bound; // of P's rounding, relative to P, that of the same key's copies included
  Matrix<float> with_errors;      // <e, p v>, of the kernel's errors above those of the plain implementation

  auto got() const { return with_errors.topRows(p.rows()); }
  auto plain() const { return with_errors.bottomRows(p.rows()); }
  int count() const { return static_cast<int>(values.rows()); }
  int last() const { return first + count(); }
};

inline AuditBlock audit_block(const AuditRows& rows, const ProbabilityNoise& noise, int first,
                              const AuditValueBlock& values) {
  const Eigen::Index count = values.norms.size(), heads = rows.weights.p.rows();
  AuditBlock block{.first = first,
                   .values = values.values,
                   .p = rows.weights.p.middleCols(first, count),
                   .slope = rows.weights.slope.middleCols(first, count),
                   .square = Matrix<float>(heads, count),
                   .deviation = Matrix<float>(heads, count),
                   .bound = Matrix<float>(heads, count),
                   .with_errors = rows.errors * values.values.transpose()};
  const float* const copies = &rows.weights.copies(first);
  for (Eigen::Index r = 0; r < heads; ++r) {
    const float rounds = rows.rows[static_cast<size_t>(r)].exact ? 0 : 1;
    const float *const relative = &rows.weights.relative(r, first), *const p = block.p.row(r).data(),
                       *const heard = &rows.heard(r, first);
    float *const square = &block.square(r, 0), *const deviation = &block.deviation(r, 0),
                 *const bound = &block.bound(r, 0), *const got = &block.with_errors(r, 0),
                 *const plain = &block.with_errors(heads + r, 0);
    for (Eigen::Index j = 0; j < count; ++j) {
      square[j] = heard[j] * (p[j] * p[j]);
      const float weight = square[j] > 0 ? p[j] : 0;
      got[j] *= weight;
      plain[j] *= weight;
      deviation[j] = rounds * copies[j] * noise.deviation(relative[j]);
      bound[j] = rounds * copies[j] * noise.bound(relative[j]);
    }
  }
  return block;
}

// |c|^2 across the directions of row r; 0 where next to nothing is left.
inline double across_directions(const AuditRows& rows, Eigen::Index r, const auto& contribution) {
  const double whole = contribution.squaredNorm();
  double square = whole;
  for (const Matrix<float>& direction : rows.directions) {
    const double along = contribution.dot(direction.row(r));
    square -= along * along;
  }
  return square < least_heard * whole ? 0 : square;
}

} // namespace fmha950::reference::FMHA950_SIMD
