#include "harness/perf/external_calibration.hpp"

#include "harness/output/progress.hpp"
#include "harness/perf/clock_data.hpp"
#include "harness/perf/foreign_model.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

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

MeasuredLaunch measured_launch(const ExternalResult& result, const ExternalClocks& modelled) {
  return {.series = result.row.series,
          .length = result.row.length,
          .seconds = result.seconds() - dispatch_seconds,
          .synchronised = result.row.synchronised,
          .clocks = modelled.clocks,
          .shares = modelled.shares,
          .assume = result.assume};
}

const ExternalClocks& clocks_of(const ExternalResult& result, const AssumedClockLaw* under) {
  return under ? result.assumed.find(under->words)->second : result.best;
}

// Its launch is one, as each row's.
ExternalResult result_of(const ExternalRow& row, const Modelled& modelled, std::string assume) {
  const ModelledLaunch& launch = modelled.longest();
  ExternalResult result{.row = row,
                        .best = {modelled.clocks(), busy_shares_of(launch)},
                        .sampling_error = modelled.sampling_error(),
                        .assume = std::move(assume)};
  for (const Assumed& assumed : launch.assumed) {
    const ModelledLaunch there = under(assumed, launch);
    result.assumed[assumed.words] = {there.clocks, busy_shares_of(there)};
  }
  return result;
}

} // namespace

ClockLaw law_of(const std::vector<ExternalResult>& results, const std::set<std::string>& without,
                const AssumedClockLaw* under) {
  ClockData measured;
  std::vector<MeasuredLaunch>& launches = measured.loaded;
  std::set<std::string> own;
  for (const ExternalResult& result : results) {
    if (!result.row.fit) continue;
    own.insert(result.row.series);
    if (!without.contains(result.row.series))
      launches.push_back(measured_launch(result, clocks_of(result, under)));
  }
  const auto counts = [&](const MeasuredLaunch& launch) { return !without.contains(launch.series); };
  const ClockLaw& known = under ? under->law : clock_law;
  const std::vector<MeasuredLaunch> published =
      read_measured_data(std::string(under ? under->fitted_under : "")).loaded;
  if (own.empty() && std::ranges::all_of(published, counts)) return known;
  std::vector<ClockTerm> terms = loaded_terms;
  for (const ClockTerm& term : {fp8_term, f8f6f4_term})
    if (std::ranges::any_of(launches,
                            [&](const MeasuredLaunch& launch) { return launch.shares.*term.share > 0; }))
      terms.push_back(term);
  for (const MeasuredLaunch& launch : published)
    if (!own.contains(launch.series) && counts(launch)) launches.push_back(launch);
  return fitted(known, terms, without_host_launch(measured).loaded);
}

double error_at(const ExternalResult& result, const ClockLaw& law, const AssumedClockLaw* under) {
  return whole_error_of(law, host_launch_seconds, measured_launch(result, clocks_of(result, under)));
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
      std::vector<std::string> words = ModelOptions{.assumptions = assumptions}.words();
      if (rows[i].copies > 1) words.push_back(fmt::format("copies={}", rows[i].copies));
      const Modelled modelled =
          rows[i].along      ? model_foreign_along(*rows[i].along, kernel, launch.shape, launch.block, words)
          : rows[i].together ? model_foreign_together(kernel, launch.shape, launch.block, words)
                             : model_foreign(kernel, launch.shape, launch.block, {.assumptions = words});
      return result_of(rows[i], modelled, fmt::format("{}", fmt::join(assumptions, "+")));
    }));
    progress.done();
  }
  return results;
}

std::vector<MeasuredLaunch> measured_launches(const std::vector<ExternalResult>& results) {
  std::vector<MeasuredLaunch> launches;
  for (const ExternalResult& result : results) launches.push_back(measured_launch(result, result.best));
  return launches;
}

} // namespace fmha950::harness
