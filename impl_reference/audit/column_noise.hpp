#pragma once
// The variance of single columns of the errors, for parts of one column (AuditRows::column_noise).

#include "impl_reference/audit/rows.hpp"

namespace fmha950::reference::FMHA950_SIMD {

// What is left of the output's rounding across the rows' directions and `shared` ones: in each column it has
// parts of all columns.
void project_output_noise(AuditRows& rows, const Matrix<float>& shared);

// Adds the noise of some keys: the variance of (v - sum <v, d> d) in each column, over the row's directions d.
// `errors`: variances of the keys' weights, [rows, keys].
void add_column_noise(AuditRows& rows, const Eigen::Ref<const Matrix<float>, 0, Eigen::OuterStride<>>& errors,
                      const Matrix<float>& values);

} // namespace fmha950::reference::FMHA950_SIMD
