#include "impl_reference/audit/output_noise.hpp"

#include "impl_reference/audit/fp32_noise.hpp"
#include "interface/ulp.hpp"

#include <numeric>

namespace fmha950::reference::FMHA950_SIMD {
namespace {

bool on_either_side(double got, double plain, double step) {
  const double close = 1e-3 * step;
  return std::fabs(got + plain) < close && std::fabs(std::fabs(got) - step / 2) < close;
}

Eigen::VectorXd whitened(std::span<const double> row, const Vector<float>& column_scale) {
  return Eigen::Map<const Eigen::VectorXd>(row.data(), static_cast<Eigen::Index>(row.size()))
      .cwiseQuotient(column_scale.cast<double>());
}

// Columns with equal o have the same error; `variance` is that of each column.
void look_at_equal_columns(std::span<const double> o, const Eigen::VectorXd& unit,
                           const Eigen::RowVectorXf& variance, OutputNoise& noise) {
  std::vector<Eigen::Index> columns(o.size());
  std::iota(columns.begin(), columns.end(), 0);
  const auto of = [&](Eigen::Index column) { return o[static_cast<size_t>(column)]; };
  std::ranges::sort(columns, {}, of);
  double alone = 0, square = 0, along = 0;
  double variance_of_equal = 0, with_unit = 0;
  for (size_t i = 0; i < columns.size(); ++i) {
    const double of_column = variance(columns[i]);
    alone += of_column * of_column;
    variance_of_equal += of_column;
    with_unit += std::sqrt(of_column) * unit(columns[i]);
    if (i + 1 < columns.size() && of(columns[i]) == of(columns[i + 1])) continue;
    const double of_unit = with_unit * with_unit;
    noise.across += variance_of_equal - of_unit;
    square += variance_of_equal * (variance_of_equal - 2 * of_unit);
    along += of_unit;
    variance_of_equal = with_unit = 0;
  }
  const double even = noise.whitened * noise.whitened / static_cast<double>(columns.size());
  if (alone > 0) noise.square = std::max(0.0, square + along * along) * even / alone;
}

} // namespace

OutputRow::OutputRow(const Vector<float>& scale, std::span<const double> exact_row, double of_row,
                     ElementType type)
    : column_scale(scale), exact(exact_row), row_scale(of_row), o(whitened(exact, scale) * row_scale),
      unit(o.norm() > 0 ? Eigen::VectorXd(o / o.norm()) : Eigen::VectorXd::Zero(o.size()).eval()),
      step(o.size()) {
  for (Eigen::Index d = 0; d < o.size(); ++d)
    step(d) = row_scale * ulp(type, o(d) * column_scale(d) / row_scale);
}

Eigen::VectorXd OutputRow::error_of(std::span<const double> result) const {
  Eigen::VectorXd error = whitened(result, column_scale) * row_scale - o;
  if (!error.allFinite()) error.setZero();
  return error;
}

void OutputRow::settle_ties(Eigen::VectorXd& got, const Eigen::VectorXd& plain) const {
  for (Eigen::Index d = 0; d < o.size(); ++d)
    if (on_either_side(got(d), plain(d), step(d) / column_scale(d))) got(d) = plain(d);
}

OutputNoise OutputRow::noise(Eigen::Ref<Eigen::RowVectorXf> of_columns) const {
  OutputNoise noise;
  for (Eigen::Index d = 0; d < o.size(); ++d) {
    const double lost = std::min(std::fabs(o(d)) * column_scale(d), row_scale * fp32_least),
                 variance = step(d) * step(d) / 12 + lost * lost;
    const double scale = double(column_scale(d)) * column_scale(d), of_whitened = variance / scale;
    of_columns(d) = static_cast<float>(of_whitened);
    noise.plain += variance;
    noise.whitened += of_whitened;
    noise.along += of_whitened * unit(d) * unit(d);
    noise.lost += lost * lost / scale;
  }
  look_at_equal_columns(exact, unit, of_columns, noise);
  return noise;
}

} // namespace fmha950::reference::FMHA950_SIMD
