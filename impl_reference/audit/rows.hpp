#pragma once
// Some rows that share their keys, as the audit looks at them: weights, errors of two results, and how much
// noise a right result has (DESIGN.md section 7).

#include "impl_reference/audit/directions.hpp"
#include "impl_reference/audit/weights.hpp"

namespace fmha950::reference::FMHA950_SIMD {

struct AuditInput {
  const AttentionRows &exact, &plain, &got;
  ProbabilityRounding rounding;
};

struct AuditRow {
  RowNoise noise;
  double weight = 0;         // 1 / variance of what is heard of an element; see AuditRows::errors
  double length = 0;         // of whitened o, times the row's scale (AuditWeights), as all that follows
  double along_variance = 0; // of the error's component along o
  double got_along = 0, plain_along = 0;
  double lse_weight = 0, lse_floor = 0, lse_got = 0, lse_plain = 0;
  bool exact = false; // P is rounded without an error
  int bucket = 0;     // power of two of the standard deviation
};

// What a part of weight x in the row says of the LSE.
inline LseSums lse_sums(const AuditRow& row, double x) {
  return {.square = row.lse_weight * x * x,
          .first = row.lse_weight * x,
          .floor = row.lse_weight * std::fabs(x) * row.lse_floor,
          .plain = row.lse_weight * x * row.lse_plain,
          .got = row.lse_weight * x * row.lse_got};
}

struct AuditRows {
  SharedKeys shared;
  AuditWeights weights;
  std::vector<AuditRow> rows;
  // Up to three for each row, [rows, D] each, orthonormal or 0: o, the sum of keys whose P vanish, the sum of
  // keys with subnormal P.
  std::vector<Matrix<float>> directions;
  Matrix<float> heard;        // [rows, keys]: |v|^2 across the row's directions
  Matrix<float> errors;       // [2 rows, D]: got, plain; whitened, across all directions
  Matrix<float> column_noise; // [rows, D]: variance of single elements, for parts of one column

  size_t count() const { return rows.size(); }
};

// Takes loud directions out of `values`.
AuditRows audit_rows(const Gather& gather, std::span<const QueryHead> heads, const Vector<float>& scale,
                     const AuditInput& input, AuditValues& values);

} // namespace fmha950::reference::FMHA950_SIMD
