#include "harness/judge/verdict.hpp"

#include "interface/ulp.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace fmha950::harness {

namespace {

constexpr double bucket_factor = 1.25, row_factor = 2.5, element_factor = 8, sigmas = 6;
constexpr double element_ulps = 2;
constexpr double fp8_ceiling = 0.055;

// Keeps the value that takes the largest share of its limit.
class Worst {
 public:
  explicit Worst(std::string name) : limit_{std::move(name), 0, 0, ""} {}
  template <class Where> void look_at(double value, double limit, const Where& where) {
    const double share = share_of(value, limit); // NaN is worse than anything
    if (any_ && share <= share_) return;
    any_ = true;
    share_ = share;
    limit_.value = value;
    limit_.limit = limit;
    if (share > 0) limit_.where = where();
  }
  void add_to(std::vector<Limit>& limits) const {
    if (any_) limits.push_back(limit_);
  }

 private:
  Limit limit_;
  double share_ = 0;
  bool any_ = false;
};

// RMS of an error over its deviation, that hardly ever is exceeded. Those of few keys are bounded: a rounding
// error is by 2.2 deviations.
double row_limit(const RowNoise& noise) {
  constexpr double exponent = 14;                   // Laurent and Massart, 2000, lemma 1: probability e^-14
  constexpr double of_one_key = 2.2, largest = 3.2; // of up to two keys
  const double share = exponent / noise.freedom();
  const double chi = std::sqrt(1 + 2 * std::sqrt(share) + 2 * share);
  return std::clamp(chi, row_factor, std::max(largest, of_one_key * std::sqrt(noise.terms)));
}

struct RowError {
  double across = 0; // mean square over columns, whitened, without the component along o
  double along = 0;  // share of o
};

RowError error_of_row(const Evidence& evidence, const AttentionRows& result, size_t place,
                      const AuditOwner& owner) {
  const auto columns = static_cast<size_t>(evidence.problem.value_columns());
  double squares = 0, with_o = 0, length = 0;
  for (size_t d = 0; d < columns; ++d) {
    const double scale = owner.column_scale[d], o = evidence.exact.output[place * columns + d] / scale;
    const double error = result.output[place * columns + d] / scale - o;
    squares += error * error;
    with_o += error * o;
    length += o * o;
  }
  if (length == 0) return {squares / static_cast<double>(columns), 0};
  const double across = squares - with_o * with_o / length;
  return {(across < 0 ? 0 : across) / std::max(1.0, static_cast<double>(columns) - 1), // a NaN stays one
          with_o / length};
}

// The share by which rounding the exact row to the output's type alone makes it longer or shorter. Where elements are below the
// type's smallest number most of them vanish, and all of these errors point against o.
double share_of_rounding(const Evidence& evidence, size_t place, const AuditOwner& owner) {
  const auto columns = static_cast<size_t>(evidence.problem.value_columns());
  double with_o = 0, length = 0;
  for (size_t d = 0; d < columns; ++d) {
    const double exact = evidence.exact.output[place * columns + d];
    const double step = ulp(evidence.problem.output_type, std::fabs(exact));
    const double o = exact / owner.column_scale[d];
    with_o += (std::nearbyint(exact / step) * step - exact) / owner.column_scale[d] * o;
    length += o * o;
  }
  return length == 0 ? 0 : std::fabs(with_o) / length;
}

struct Bucket {
  double rows = 0, squares = 0, variance = 0, spread = 0;
};

class RowJudge {
 public:
  RowJudge(const Evidence& evidence, const AttentionRows& result)
      : evidence_(evidence), result_(result), owners_(evidence),
        coherent_(coherent_share(evidence.problem.output_type)) {}

  std::vector<Limit> judge() {
    for (size_t place = 0; place < evidence_.audit.noise.size(); ++place) {
      judge_row(place);
      judge_elements(place);
      if (evidence_.problem.lse) judge_lse(place);
    }
    for (const auto& [key, bucket] : buckets_) judge_bucket(key.first, bucket);
    judge_norm();
    std::vector<Limit> limits;
    for (const Worst* worst : {&rmse_, &row_, &length_, &element_, &norm_, &ceiling_, &lse_})
      worst->add_to(limits);
    return limits;
  }

 private:
  std::string row_text(size_t place) const {
    return describe_row(evidence_.problem, evidence_.exact.rows, place);
  }

  void judge_row(size_t place) {
    const RowNoise& noise = evidence_.audit.noise[place];
    const AuditOwner& owner = owners_[place];
    const RowError error = error_of_row(evidence_, result_, place, owner);
    row_.look_at(std::sqrt(error.across), row_limit(noise) * std::sqrt(noise.across),
                 [&] { return row_text(place); });
    length_.look_at(std::fabs(error.along),
                    sigmas * std::sqrt(noise.along) + noise.common +
                        std::max(coherent_, share_of_rounding(evidence_, place, owner)),
                    [&] { return row_text(place); });
    Bucket& bucket = buckets_[{owner.kv_head, std::ilogb(std::sqrt(noise.across))}];
    bucket.rows += 1;
    bucket.squares += error.across;
    bucket.variance += noise.across;
    bucket.spread += noise.across * noise.across / noise.freedom() * owner.rows_alike();
  }

  void judge_bucket(int kv_head, const Bucket& bucket) {
    const double freedom = bucket.variance * bucket.variance / bucket.spread;
    const double limit = bucket_factor * std::sqrt(bucket.variance / bucket.rows) *
                         std::sqrt(1 + sigmas * std::sqrt(2 / freedom));
    rmse_.look_at(std::sqrt(bucket.squares / bucket.rows), limit,
                  [&] { return fmt::format("{:.0f} rows of KV head {}", bucket.rows, kv_head); });
  }

  // A column's noise is the row's across o, as loud as the column is, and that along o.
  void judge_elements(size_t place) {
    const RowNoise& noise = evidence_.audit.noise[place];
    const AuditOwner& owner = owners_[place];
    const auto columns = static_cast<size_t>(evidence_.problem.value_columns());
    for (size_t d = 0; d < columns; ++d) {
      const size_t index = place * columns + d;
      const double o = evidence_.exact.output[index], error = std::fabs(result_.output[index] - o);
      const double scale = owner.column_scale[d];
      const double deviation = std::sqrt(scale * scale * noise.across + o * o * noise.along);
      // With few keys, a single large element of V stands out; with few directions, a column with most of one.
      const double factor = element_factor * (1 + 1 / std::sqrt(noise.terms)) *
                            std::max(1.0, std::sqrt(static_cast<double>(columns) / noise.directions));
      const double limit = factor * deviation + element_ulps * ulp(evidence_.problem.output_type, o) +
                           (noise.common + coherent_) * std::fabs(o);
      element_.look_at(error, limit, [&] { return fmt::format("{}, column {}", row_text(place), d); });
      if (evidence_.max_value)
        ceiling_.look_at(error, fp8_ceiling * std::fmax(1, *evidence_.max_value),
                         [&] { return row_text(place); });
      squared_error_ += deviation * deviation;
      norm_of_reference_ += o * o;
      norm_of_result_ += result_.output[index] * result_.output[index];
      noise_of_norm_ += o * o * deviation * deviation;
    }
    double length = 0;
    for (size_t d = 0; d < columns; ++d)
      length += evidence_.exact.output[place * columns + d] * evidence_.exact.output[place * columns + d];
    noise_of_norm_ += length * length * noise.along;
    common_of_norm_ += length * noise.common;
  }

  // |o + e| / |o| = 1 + <o, e> / |o|^2 + |e|^2 / 2 |o|^2: noise, and what noise adds to any length.
  void judge_norm() {
    if (norm_of_reference_ == 0)
      return norm_.look_at(norm_of_result_ == 0 ? 0 : INFINITY, 0, [] { return ""; });
    const double ratio = std::sqrt(norm_of_result_ / norm_of_reference_);
    const double limit = (sigmas * std::sqrt(noise_of_norm_) + common_of_norm_ +
                          bucket_factor * bucket_factor * squared_error_ / 2) /
                             norm_of_reference_ +
                         coherent_;
    norm_.look_at(std::fabs(ratio - 1), limit, [] { return ""; });
  }

  // A row that sees nothing must be -inf exactly.
  void judge_lse(size_t place) {
    const double exact = evidence_.exact.lse[place], got = result_.lse[place];
    if (exact == got)
      return lse_.look_at(0, sigmas * std::sqrt(evidence_.audit.noise[place].lse_variance),
                          [] { return ""; });
    lse_.look_at(std::fabs(got - exact), sigmas * std::sqrt(evidence_.audit.noise[place].lse_variance),
                 [&] { return row_text(place); });
  }

  const Evidence& evidence_;
  const AttentionRows& result_;
  OwnerOfRow owners_;
  double coherent_;                               // by which rounding the output may make all of it too large
  std::map<std::pair<int, int>, Bucket> buckets_; // by KV head and power of two
  double squared_error_ = 0, norm_of_reference_ = 0, norm_of_result_ = 0, noise_of_norm_ = 0,
         common_of_norm_ = 0;
  Worst rmse_{"rmse"}, row_{"row"}, length_{"length"}, element_{"element"}, norm_{"norm_ratio"},
      ceiling_{"fp8_ceiling"}, lse_{"lse"};
};

} // namespace

std::vector<Limit> judge_rows(const Evidence& evidence, const AttentionRows& result) {
  return RowJudge(evidence, result).judge();
}

} // namespace fmha950::harness
