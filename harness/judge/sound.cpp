#include "harness/judge/sound.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace fmha950::harness {

namespace {

constexpr double negative_infinity = -std::numeric_limits<double>::infinity();

void require_size(size_t size, size_t expected, std::string_view what) {
  if (size != expected)
    throw OracleUnsound(fmt::format("{}: {} elements compared, expected {}", what, size, expected));
}

void require(const std::vector<double>& values, size_t expected, bool infinite_allowed,
             std::string_view what) {
  require_size(values.size(), expected, what);
  const auto sound = [&](double value) {
    return std::isfinite(value) || (infinite_allowed && value == negative_infinity);
  };
  const auto wrong = std::ranges::count_if(values, [&](double value) { return !sound(value); });
  if (wrong == 0) return;
  const auto first = std::ranges::find_if_not(values, sound) - values.begin();
  throw OracleUnsound(
      fmt::format("{}: {} of {} elements are not finite, first element {}", what, wrong, expected, first));
}

} // namespace

void require_sound(const Problem& problem, size_t query_rows, const AttentionRows& rows, bool with_lse,
                   std::string_view who) {
  const size_t heads = query_rows * static_cast<size_t>(problem.query_heads);
  require(rows.output, heads * static_cast<size_t>(problem.value_columns()), false,
          fmt::format("output of {}", who));
  if (with_lse) require(rows.lse, heads, true, fmt::format("LSE of {}", who));
}

void require_all_compared(const Evidence& evidence) {
  const Problem& problem = evidence.problem;
  const size_t rows = evidence.exact.rows.size(), heads = rows * static_cast<size_t>(problem.query_heads);
  if (rows == 0 && problem.total_queries() > 0)
    throw OracleUnsound(fmt::format("no row of {} was compared", problem.total_queries()));
  require_size(evidence.got.output.size(), heads * static_cast<size_t>(problem.value_columns()),
               "output of the kernel");
  if (problem.lse) require_size(evidence.got.lse.size(), heads, "LSE of the kernel");
  require_size(evidence.audit.noise.size(), heads, "rows of the audit");
}

Defects find_lse_defects(std::span<const double> got, std::span<const uint8_t> untouched) {
  std::vector<double> finite(got.begin(), got.end());
  std::replace(finite.begin(), finite.end(), negative_infinity, 0.0);
  return find_defects(finite, untouched);
}

std::string describe(const Defects& defects, std::string_view what) {
  return fmt::format("{}: {} untouched, {} NaN, {} Inf, first at element {}", what, defects.untouched,
                     defects.nan, defects.inf, defects.first);
}

} // namespace fmha950::harness
