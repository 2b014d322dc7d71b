#pragma once
// A block of keys in the audit: what every pair of a row and a key says.

#include "impl_reference/audit/rows.hpp"

namespace fmha950::reference::FMHA950_SIMD {

struct AuditBlock {
  int first = 0;               // key
  const Matrix<float>& values; // [keys, D], whitened
  // All [rows, keys].
  Matrix<float> p, slope;
  Matrix<float> square;           // |p v|^2 across the row's directions
  Matrix<float> deviation, bound; // of P's rounding, relative to P, that of the same key's copies included
  Matrix<float> got, plain;       // <e, p v>

  int count() const { return static_cast<int>(values.rows()); }
  int last() const { return first + count(); }
};

inline AuditBlock audit_block(const AuditRows& rows, const ProbabilityNoise& noise, int first,
                              const Matrix<float>& values) {
  const Eigen::Index count = values.rows(), heads = rows.weights.p.rows();
  AuditBlock block{.first = first,
                   .values = values,
                   .p = rows.weights.p.middleCols(first, count),
                   .slope = rows.weights.slope.middleCols(first, count),
                   .square = rows.heard.middleCols(first, count),
                   .deviation = Matrix<float>(heads, count),
                   .bound = Matrix<float>(heads, count),
                   .got = {},
                   .plain = {}};
  block.square = block.square.cwiseProduct(block.p.cwiseAbs2());
  for (Eigen::Index r = 0; r < heads; ++r) {
    const float rounds = rows.rows[static_cast<size_t>(r)].exact ? 0 : 1;
    const float* const relative = &rows.weights.relative(r, first);
    float* const deviation = &block.deviation(r, 0);
    float* const bound = &block.bound(r, 0);
    for (Eigen::Index j = 0; j < count; ++j) {
      const float copies = rounds * rows.weights.copies(first + j);
      deviation[j] = copies * noise.deviation(relative[j]);
      bound[j] = copies * noise.bound(relative[j]);
    }
  }
  const Matrix<float> products = rows.errors * block.values.transpose();
  const Matrix<float> heard = (block.square.array() > 0).select(block.p, 0);
  block.got = products.topRows(heads).cwiseProduct(heard);
  block.plain = products.bottomRows(heads).cwiseProduct(heard);
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
