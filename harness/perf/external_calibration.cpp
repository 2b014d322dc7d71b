#include "harness/perf/external_calibration.hpp"

#include "harness/output/progress.hpp"
#include "harness/perf/clock_data.hpp"
#include "harness/perf/foreign_model.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace fmha950::harness {

namespace {

void resolve(Argument& argument, const std::filesystem::path& folder) {
  if (!argument.source.empty()) argument.source.file = folder / argument.source.file;
  argument.saved = {}; // outputs are not kept
  for (Argument& value : argument.values) resolve(value, folder);
}

// A row as `device run` would launch it.
struct ExternalLaunch {
  ExternalLaunch(const std::filesystem::path& folder, const ExternalRow& row)
      : file(read_code_object_file(folder / row.object)), kernel(file.kernel(row.kernel)),
        shape{parse_dimensions("grid", row.grid), parse_dimensions("block", row.block), row.lds} {
    require_fits(shape, kernel);
    std::vector<Argument> arguments = parse_arguments(kernel, row.arguments);
    for (Argument& argument : arguments) resolve(argument, folder);
    block = lay_out(kernel, arguments);
  }

  const CodeObjectFile file;
  const ForeignKernel& kernel;
  const LaunchShape shape;
  ArgumentBlock block;
};

// What is wrong with a row says which one it is.
template <class Run> auto in_row(size_t index, const ExternalRow& row, const Run& run) {
  try {
    return run();
  } catch (const InvalidInput& error) {
    throw InvalidInput(fmt::format("rows.csv:{}", index + 2), row.object, error.what());
  }
}

MeasuredLaunch measured_launch(const ExternalResult& result) {
  return {.series = result.row.series,
          .length = result.row.length,
          .seconds = result.seconds() - dispatch_seconds,
          .synchronised = result.row.synchronised,
          .clocks = result.clocks,
          .shares = result.shares,
          .assume = result.assume};
}

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

ClockLaw law_of(const std::vector<ExternalResult>& results, const std::optional<std::string>& without) {
  ClockData measured;
  std::vector<MeasuredLaunch>& launches = measured.loaded;
  std::set<std::string> own;
  for (const ExternalResult& result : results) {
    if (!result.row.fit) continue;
    own.insert(result.row.series);
    if (result.row.series != without) launches.push_back(measured_launch(result));
  }
  const std::vector<MeasuredLaunch> published = read_measured_data().loaded;
  if (own.empty() && !std::ranges::count(published, without, &MeasuredLaunch::series)) return clock_law;
  std::vector<ClockTerm> terms = loaded_terms;
  for (const ClockTerm& term : {fp8_term, f8f6f4_term})
    if (std::ranges::any_of(launches,
                            [&](const MeasuredLaunch& launch) { return launch.shares.*term.share > 0; }))
      terms.push_back(term);
  for (const MeasuredLaunch& launch : published)
    if (!own.contains(launch.series) && launch.series != without) launches.push_back(launch);
  return fitted(clock_law, terms, without_host_launch(measured).loaded);
}

double error_at(const ExternalResult& result, const ClockLaw& law) {
  return whole_error_of(law, host_launch_seconds, measured_launch(result));
}

std::vector<ExternalResult> model_external(const std::filesystem::path& folder,
                                           const std::vector<std::string>& assumptions) {
  const std::vector<ExternalRow> rows = read_external_rows(folder);
  // Laid out again for its launch: the tensors of all rows together may not fit into memory.
  for (size_t i = 0; i < rows.size(); ++i) in_row(i, rows[i], [&] { ExternalLaunch(folder, rows[i]); });
  Progress progress(rows.size());
  std::vector<ExternalResult> results;
  for (size_t i = 0; i < rows.size(); ++i) {
    progress.start(fmt::format("{} {}", rows[i].series, rows[i].length));
    results.push_back(in_row(i, rows[i], [&] {
      const ExternalLaunch launch(folder, rows[i]);
      const LoadedKernel kernel(launch.file, launch.kernel);
      std::vector<std::string> words = assumptions;
      if (rows[i].copies > 1) words.push_back(fmt::format("copies={}", rows[i].copies));
      const Modelled modelled =
          rows[i].along      ? model_foreign_along(*rows[i].along, kernel, launch.shape, launch.block, words)
          : rows[i].together ? model_foreign_together(kernel, launch.shape, launch.block, words)
                             : model_foreign(kernel, launch.shape, launch.block, {.assumptions = words});
      return ExternalResult{rows[i], modelled.clocks(), modelled.sampling_error(),
                            busy_shares_of(modelled.longest()),
                            fmt::format("{}", fmt::join(assumptions, "+"))};
    }));
    progress.done();
  }
  return results;
}

std::vector<MeasuredLaunch> measured_launches(const std::vector<ExternalResult>& results) {
  std::vector<MeasuredLaunch> launches;
  for (const ExternalResult& result : results) launches.push_back(measured_launch(result));
  return launches;
}

void print(const std::vector<ExternalResult>& results, std::FILE* out) {
  const bool fits = std::ranges::any_of(results, [](const ExternalResult& result) { return result.row.fit; });
  const ClockLaw law = law_of(results);
  fmt::print(out,
             "cycle model against what was measured of foreign objects; the law of the clock {}\n"
             "left out: by the law without the rows of its group\n",
             fits ? "fitted to rows of use `fit` and to data/calibration"
                  : "as the program has it: no row of use `fit`");
  fmt::print(out, "{:<20} {:>8} {:>10} {:>10} {:>8} {:>9} {:>12} {:>5} {:>9}  {:<5} {}\n", "group", "length",
             "measured", "modelled", "error", "left out", "clocks", "MHz", "sampling", "use", "kernel");
  std::map<std::string, MeanErrors> by_series;
  std::map<int64_t, MeanErrors> lengths;
  MeanErrors all;
  for (const ExternalResult& result : results) {
    const ExternalRow& row = result.row;
    const double error = error_at(result, law), left_out = error_at(result, law_of(results, row.series));
    fmt::print(out,
               "{:<20} {:>8} {:>10.4g} {:>10.4g} {:>6.1f} % {:>7.1f} % {:>12.0f} {:>5.0f} {:>9}  {:<5} {}\n",
               row.series, row.length, row.tflops, row.tflops * (1 + error), 100 * error, 100 * left_out,
               result.clocks, law.hertz(result.shares) / 1e6,
               result.sampling_error ? fmt::format("{:.1f} %", 100 * *result.sampling_error) : "unknown",
               row.fit ? "fit" : "check", row.kernel.empty() ? row.object : row.kernel);
    for (MeanErrors* errors : {&by_series[row.series], &lengths[row.length], &all}) errors->add(left_out);
  }
  fmt::print(out, "{:<29} {:>4} {:>10} {:>10} {:>10}\n", "errors, left out", "rows", "bias", "absolute",
             "largest");
  for (const auto& [series, errors] : by_series) print("group", series, errors, out);
  for (const auto& [length, errors] : lengths) print("length", fmt::format("{}", length), errors, out);
  print("all", "", all, out);
}

} // namespace fmha950::harness
