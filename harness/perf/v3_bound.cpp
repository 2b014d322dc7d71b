#include "harness/perf/v3_bound.hpp"

#include "emulator/timing/assumed.hpp"
#include "harness/perf/clock_data.hpp"
#include "interface/case_text.hpp"

#include <algorithm>
#include <optional>

namespace fmha950::harness {

namespace {

constexpr int64_t fewest_keys = 1024, most_keys = 8192; // one workgroup on each of 24 and of 192 CUs
constexpr double tiles = (most_keys - fewest_keys) / 64.0;
constexpr int conversions = 32; // of a SIMD for 64 keys

// Clocks for 64 keys by that column; none without it.
std::optional<double> slope(const std::string& group, const std::string& column) {
  const std::vector<MeasuredLaunch> rows = read_ck_rows("V3", column);
  if (rows.empty()) return std::nullopt;
  const auto clocks = [&](int64_t keys) {
    return std::ranges::find_if(
               rows, [&](const MeasuredLaunch& row) { return row.group == group && row.length == keys; })
        ->clocks;
  };
  return (clocks(most_keys) - clocks(fewest_keys)) / tiles;
}

// What a word adds to `clocks`.
double added(const std::string& group, double clocks, std::string_view word) {
  if (const auto slower = slope(group, "gpu_clocks_" + std::string(word))) return *slower - clocks;
  const timing::Assumptions assumed = *timing::assumed(word), nothing;
  return conversions * (assumed.code_conversion_clocks - nothing.code_conversion_clocks) +
         (assumed.barrier_clocks - nothing.barrier_clocks);
}

} // namespace

double least_v3_clocks(std::string_view words) {
  double most = 0;
  for (const char* group : {"V3-tensor", "V3-block"}) {
    const double plain = *slope(group, "gpu_clocks");
    double clocks = plain;
    for (const std::string_view word : case_text::split(words, '+'))
      if (!word.empty()) clocks += added(group, plain, word);
    most = std::max(most, clocks);
  }
  return most;
}

} // namespace fmha950::harness
