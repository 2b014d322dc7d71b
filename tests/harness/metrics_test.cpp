#include "harness/judge/metrics.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <limits>
#include <vector>

using namespace fmha950::harness;

TEST_CASE("metrics of a vector worked out by hand") {
  const std::vector<double> reference{3, 4, 0}, got{3, 3, 0};
  const ErrorMetrics metrics = compare(reference, got);
  CHECK(metrics.count == 3);
  CHECK(metrics.max_abs == 1);
  CHECK(metrics.worst == 1);
  CHECK(metrics.rmse == Approx(std::sqrt(1.0 / 3)));
  CHECK(metrics.relative_l2 == Approx(1.0 / 5));
  CHECK(metrics.nmse == Approx(1.0 / 25));
  CHECK(metrics.cosine == Approx((9.0 + 12.0) / (5 * std::sqrt(18.0))));
  CHECK(metrics.norm_ratio == Approx(std::sqrt(18.0) / 5));
  CHECK(metrics.max_reference == 4);
}

TEST_CASE("metrics of equal, zero and orthogonal vectors") {
  const std::vector<double> zero{0, 0}, x{1, 0}, y{0, 2};
  const ErrorMetrics both_zero = compare(zero, zero);
  CHECK(both_zero.worst == -1);
  CHECK(both_zero.relative_l2 == 0);
  CHECK(both_zero.cosine == 1);
  CHECK(both_zero.norm_ratio == 1);
  const ErrorMetrics from_zero = compare(zero, x);
  CHECK(std::isinf(from_zero.relative_l2));
  CHECK(std::isinf(from_zero.norm_ratio));
  CHECK(from_zero.cosine == 0);
  const ErrorMetrics orthogonal = compare(x, y);
  CHECK(orthogonal.cosine == 0);
  CHECK(orthogonal.norm_ratio == 2);
}

TEST_CASE("values that are not finite are counted as defects, not averaged away") {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::vector<double> reference{1, 1, 1, 1}, got{1, nan, -inf, nan};
  const std::vector<uint8_t> untouched{0, 0, 0, 1};
  CHECK(compare(reference, got).count == 1);
  const Defects defects = find_defects(got, untouched);
  CHECK(defects.nan == 1);
  CHECK(defects.inf == 1);
  CHECK(defects.untouched == 1);
  CHECK(defects.first == 1);
  CHECK(defects.any());
  CHECK_FALSE(find_defects(reference, std::vector<uint8_t>(4, 0)).any());
}

TEST_CASE("vectors of different length are refused") {
  CHECK_THROWS_AS(compare(std::vector<double>(2), std::vector<double>(3)), std::invalid_argument);
}
