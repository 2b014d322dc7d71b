#pragma once
// Directions of the values in which the audit does not listen. Rounding errors of a key that dominates many
// rows all point along its value, those of P below the normal numbers all have one sign: neither is the noise
// across o that sigma is made of.

#include "impl_reference/audit/values.hpp"

namespace fmha950::reference::FMHA950_SIMD {

// Orthonormal directions of the values of keys that make most of the noise. `noise`: each key's share
// of all rows' noise across o.
Matrix<float> loud_directions(const AuditValues& values, const std::vector<double>& noise);

// Makes each row of `vectors` orthogonal to the same row of `others`, and of length 1 or, where nothing is
// left, 0. Returns which rows are left.
std::vector<bool> make_directions(Matrix<float>& vectors, std::span<const Matrix<float>> others);

// The direction of the sum of rows; 0 where that sum is 0.
Eigen::RowVectorXf mean_direction(const Matrix<float>& rows);

} // namespace fmha950::reference::FMHA950_SIMD
