#include "harness/judge/metrics.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace fmha950::harness {

namespace {

double ratio(double numerator, double denominator, double both_zero) {
  if (denominator == 0) return numerator == 0 ? both_zero : std::numeric_limits<double>::infinity();
  return numerator / denominator;
}

void require_same_size(size_t left, size_t right) {
  if (left != right) throw std::invalid_argument("compared vectors differ in length");
}

} // namespace

ErrorMetrics compare(std::span<const double> reference, std::span<const double> got) {
  require_same_size(reference.size(), got.size());
  ErrorMetrics metrics;
  double error_sum = 0, reference_sum = 0, got_sum = 0, product_sum = 0;
  for (size_t i = 0; i < reference.size(); ++i) {
    const double r = reference[i], g = got[i];
    if (!std::isfinite(r) || !std::isfinite(g)) continue;
    const double error = std::fabs(g - r);
    if (error > metrics.max_abs) {
      metrics.max_abs = error;
      metrics.worst = static_cast<int64_t>(i);
    }
    metrics.max_reference = std::fmax(metrics.max_reference, std::fabs(r));
    error_sum += error * error;
    reference_sum += r * r;
    got_sum += g * g;
    product_sum += r * g;
    ++metrics.count;
  }
  if (metrics.count == 0) return metrics;
  metrics.rmse = std::sqrt(error_sum / static_cast<double>(metrics.count));
  metrics.relative_l2 = ratio(std::sqrt(error_sum), std::sqrt(reference_sum), 0);
  metrics.nmse = ratio(error_sum, reference_sum, 0);
  metrics.norm_ratio = ratio(std::sqrt(got_sum), std::sqrt(reference_sum), 1);
  if (got_sum == 0 || reference_sum == 0)
    metrics.cosine = got_sum == reference_sum ? 1 : 0;
  else
    metrics.cosine = product_sum / (std::sqrt(got_sum) * std::sqrt(reference_sum));
  return metrics;
}

Defects find_defects(std::span<const double> got, std::span<const uint8_t> untouched) {
  require_same_size(got.size(), untouched.size());
  Defects defects;
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::isfinite(got[i]) && !untouched[i]) continue;
    if (defects.first < 0) defects.first = static_cast<int64_t>(i);
    if (untouched[i])
      ++defects.untouched;
    else if (std::isnan(got[i]))
      ++defects.nan;
    else
      ++defects.inf;
  }
  return defects;
}

} // namespace fmha950::harness
