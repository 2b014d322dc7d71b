#include "impl_reference/audit/column_noise.hpp"

namespace fmha950::reference::FMHA950_SIMD {

void project_output_noise(AuditRows& rows, const Matrix<float>& shared) {
  const auto own = static_cast<Eigen::Index>(rows.directions.size());
  Matrix<float> directions(shared.rows() + own, rows.column_noise.cols());
  if (shared.rows() > 0) directions.topRows(shared.rows()) = shared;
  for (Eigen::Index r = 0; r < rows.column_noise.rows(); ++r) {
    for (Eigen::Index d = 0; d < own; ++d)
      directions.row(shared.rows() + d) = rows.directions[static_cast<size_t>(d)].row(r);
    const Eigen::RowVectorXf variance = rows.column_noise.row(r);
    const Eigen::RowVectorXf taken = directions.cwiseAbs2().colwise().sum();
    const Matrix<float> both = directions * variance.asDiagonal() * directions.transpose();
    const Eigen::RowVectorXf back = directions.cwiseProduct(both * directions).colwise().sum();
    rows.column_noise.row(r) = variance - 2 * variance.cwiseProduct(taken) + back;
  }
}

void add_column_noise(AuditRows& rows, const Eigen::Ref<const Matrix<float>, 0, Eigen::OuterStride<>>& errors,
                      const Matrix<float>& values) {
  rows.column_noise.noalias() += errors * values.cwiseAbs2();
  std::vector<Matrix<float>> along;
  for (const Matrix<float>& direction : rows.directions) along.push_back(direction * values.transpose());
  for (size_t a = 0; a < along.size(); ++a) {
    const Matrix<float> weighted = errors.cwiseProduct(along[a]);
    rows.column_noise -= 2 * rows.directions[a].cwiseProduct(weighted * values);
    for (size_t b = 0; b < along.size(); ++b) {
      const Vector<float> both = weighted.cwiseProduct(along[b]).rowwise().sum();
      rows.column_noise += both.asDiagonal() * rows.directions[a].cwiseProduct(rows.directions[b]);
    }
  }
}

} // namespace fmha950::reference::FMHA950_SIMD
