// What `device --calibration --external` prints.
#include "harness/perf/external_interval.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

struct MeanErrors {
  double signed_sum = 0, absolute_sum = 0, largest = 0;
  int rows = 0;
  void add(double error) {
    signed_sum += error;
    absolute_sum += std::abs(error);
    largest = std::max(largest, std::abs(error));
    ++rows;
  }
};

void print(const char* what, const std::string& which, const MeanErrors& errors, std::FILE* out) {
  fmt::print(out, "{:<8} {:<20} {:>4} {:>8.1f} % {:>8.1f} % {:>8.1f} %\n", what, which, errors.rows,
             100 * errors.signed_sum / errors.rows, 100 * errors.absolute_sum / errors.rows,
             100 * errors.largest);
}

} // namespace

void print(const std::vector<ExternalResult>& results, std::FILE* out) {
  const bool fits = std::ranges::any_of(results, [](const ExternalResult& result) { return result.row.fit; });
  const ClockLaw law = law_of(results);
  fmt::print(out,
             "cycle model against what was measured of foreign objects; the law of the clock {}\n"
             "left out, low, high: by laws without the rows of its group\n",
             fits ? "fitted to rows of use `fit` and to data/calibration"
                  : "as the program has it: no row of use `fit`");
  fmt::print(out, "{:<20} {:>8} {:>10} {:>10} {:>10} {:>10} {:>8} {:>9} {:>12} {:>5} {:>9}  {:<5} {}\n",
             "group", "length", "measured", "modelled", "low", "high", "error", "left out", "clocks", "MHz",
             "sampling", "use", "kernel");
  std::map<std::string, SeriesLaws> laws;
  for (const ExternalResult& result : results)
    if (!laws.contains(result.row.series)) laws[result.row.series] = laws_for(result.row.series, results);
  std::map<std::string, MeanErrors> by_series;
  std::map<int64_t, MeanErrors> lengths;
  MeanErrors all;
  int inside = 0;
  for (const ExternalResult& result : results) {
    const ExternalRow& row = result.row;
    const Range range = teraflops_of(result, laws[row.series]);
    inside += range.low <= row.tflops && row.tflops <= range.high;
    const double error = error_at(result, law), left_out = error_at(result, laws[row.series].best);
    fmt::print(
        out,
        "{:<20} {:>8} {:>10.4g} {:>10.4g} {:>10.4g} {:>10.4g} {:>6.1f} % {:>7.1f} % {:>12.0f} {:>5.0f} "
        "{:>9}  {:<5} {}\n",
        row.series, row.length, row.tflops, row.tflops * (1 + error), range.low, range.high, 100 * error,
        100 * left_out, result.best.clocks, law.hertz(result.best.shares) / 1e6,
        result.sampling_error ? fmt::format("{:.1f} %", 100 * *result.sampling_error) : "unknown",
        row.fit ? "fit" : "check", row.kernel.empty() ? row.object : row.kernel);
    for (MeanErrors* errors : {&by_series[row.series], &lengths[row.length], &all}) errors->add(left_out);
  }
  fmt::print(out, "{:<29} {:>4} {:>10} {:>10} {:>10}\n", "errors, left out", "rows", "bias", "absolute",
             "largest");
  for (const auto& [series, errors] : by_series) print("group", series, errors, out);
  for (const auto& [length, errors] : lengths) print("length", fmt::format("{}", length), errors, out);
  print("all", "", all, out);
  fmt::print(out, "measured between low and high: {} of {} rows\n", inside, results.size());
}

} // namespace fmha950::harness
