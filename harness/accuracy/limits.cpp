#include "harness/accuracy/limits.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace fmha950::harness {

namespace {

constexpr double max_abs_factor = 2;
constexpr double max_abs_ulps = 2;
constexpr double rmse_factor = 2;
constexpr double rmse_factor_many_rows = 1.25; // a mean over many rows scatters less
constexpr int64_t many_rows = 32;
constexpr double norm_factor = 2;
constexpr double norm_slack = 1.0 / 512; // 2^-9
constexpr double fp8_ceiling = 0.055;
constexpr double lse_factor = 2;
constexpr double lse_absolute = 1e-3;
constexpr double lse_relative = 1e-6;

// The LSE's limit grows with |LSE|, so each element has its own; the one closest to (or furthest past) its
// limit speaks for all. A row that sees nothing must be -inf exactly.
Limit lse_limit(std::span<const double> reference, std::span<const double> plain,
                std::span<const double> got) {
  const double plain_error = compare(reference, plain).max_abs;
  Limit worst{"lse", 0, lse_factor * plain_error + lse_absolute};
  double worst_excess = -std::numeric_limits<double>::infinity();
  for (size_t i = 0; i < reference.size(); ++i) {
    if (reference[i] == got[i]) continue;
    const double error = std::fabs(got[i] - reference[i]); // inf or NaN where only one of the two is -inf
    const double magnitude = std::isfinite(reference[i]) ? std::fabs(reference[i]) : 0;
    const double limit = lse_factor * plain_error + lse_absolute + lse_relative * magnitude;
    const double excess = std::isnan(error) ? std::numeric_limits<double>::infinity() : error - limit;
    if (excess <= worst_excess) continue;
    worst_excess = excess;
    worst = {"lse", error, limit};
  }
  return worst;
}

} // namespace

double ulp(ElementType type, double magnitude) {
  int digits = 0, min_exponent = 0; // of the significand with its hidden bit; of the smallest normal number
  switch (type) {
  case ElementType::bf16: digits = 8, min_exponent = -126; break;
  case ElementType::fp16: digits = 11, min_exponent = -14; break;
  case ElementType::fp32: digits = 24, min_exponent = -126; break;
  case ElementType::fp8: digits = 4, min_exponent = -6; break;
  default:
    throw InvalidInput("output type", std::to_string(static_cast<int>(type)), "must be a floating type");
  }
  const int exponent = magnitude == 0 ? min_exponent : std::max(std::ilogb(magnitude), min_exponent);
  return std::ldexp(1.0, exponent - digits + 1);
}

Defects find_lse_defects(std::span<const double> got, std::span<const uint8_t> untouched) {
  std::vector<double> finite(got.begin(), got.end());
  std::replace(finite.begin(), finite.end(), -std::numeric_limits<double>::infinity(), 0.0);
  return find_defects(finite, untouched);
}

std::string describe(const Defects& defects, std::string_view what) {
  return fmt::format("{}: {} untouched, {} NaN, {} Inf, first at element {}", what, defects.untouched,
                     defects.nan, defects.inf, defects.first);
}

double largest_share(std::span<const Limit> limits) {
  double largest = 0;
  for (const Limit& limit : limits)
    if (limit.value > 0) largest = std::max(largest, limit.value / limit.limit);
  return largest;
}

bool Verdict::passed() const {
  return !defects.any() && !lse_defects.any() &&
         std::all_of(limits.begin(), limits.end(), [](const Limit& limit) { return limit.holds(); });
}

std::string Verdict::reason() const {
  std::vector<std::string> parts;
  if (defects.any()) parts.push_back(describe(defects, "output"));
  if (lse_defects.any()) parts.push_back(describe(lse_defects, "lse"));
  for (const Limit& limit : limits)
    if (!limit.holds())
      parts.push_back(fmt::format("{} {:.4g} over its limit {:.4g}", limit.name, limit.value, limit.limit));
  return fmt::format("{}", fmt::join(parts, "; "));
}

Verdict judge(const Evidence& evidence) {
  Verdict verdict;
  verdict.defects = find_defects(evidence.got, evidence.untouched);
  verdict.kernel = compare(evidence.reference, evidence.got);
  verdict.plain = compare(evidence.reference, evidence.plain);
  const double factor = evidence.query_rows >= many_rows ? rmse_factor_many_rows : rmse_factor;
  verdict.limits = {
      {"max_abs", verdict.kernel.max_abs,
       max_abs_factor * verdict.plain.max_abs +
           max_abs_ulps * ulp(evidence.output_type, verdict.kernel.max_reference)},
      {"rmse", verdict.kernel.rmse, factor * verdict.plain.rmse},
      {"norm_ratio", std::fabs(verdict.kernel.norm_ratio - 1),
       norm_factor * std::fabs(verdict.plain.norm_ratio - 1) + norm_slack},
  };
  if (evidence.max_value)
    verdict.limits.push_back(
        {"fp8_ceiling", verdict.kernel.max_abs, fp8_ceiling * std::fmax(1, *evidence.max_value)});
  if (!evidence.lse_reference.empty()) {
    verdict.lse_defects = find_lse_defects(evidence.lse_got, evidence.lse_untouched);
    verdict.lse = compare(evidence.lse_reference, evidence.lse_got);
    verdict.limits.push_back(lse_limit(evidence.lse_reference, evidence.lse_plain, evidence.lse_got));
  }
  return verdict;
}

} // namespace fmha950::harness
