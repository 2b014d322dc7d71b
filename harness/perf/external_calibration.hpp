#pragma once
// The cycle model against measurements of code objects that the user has built: `device --calibration --external DIR`
// (docs/timing.md). DIR/rows.csv says what was launched and how fast it was; nothing of it is in the repository.

#include "harness/perf/clock_law.hpp"
#include "harness/perf/measured_launch.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fmha950::harness {

// One line of rows.csv.
struct ExternalRow {
  std::string object, kernel, grid, block; // as options of `device run` have them; object relative to DIR
  uint32_t lds = 0;                        // dynamic, in bytes
  std::vector<std::string> arguments;      // of `device run --arg`; files relative to DIR
  double flops = 0;                        // of one launch
  double tflops = 0;                       // measured
  std::string series;                      // column `group`: what is left out together
  int64_t length = 0;                      // keys, or the size of a GEMM: errors are printed by it, too
  bool fit = false;                        // sets the clock; else only judged
  bool synchronised = false;               // protocol of the measurement: as of a MeasuredLaunch
  int64_t copies = 1;                      // of what the arguments hold, in the measured launch
  std::optional<int> along;                // dimension of the grid that decides how much a workgroup does
  bool together = false;                   // one chiplet's workgroups share its L2
};

// What the model has, of the GPU, without dispatch.
struct ExternalClocks {
  double clocks = 0;
  BusyShares shares{};
};

struct ExternalResult {
  ExternalRow row;
  ExternalClocks best;
  std::optional<double> sampling_error; // relative
  std::string assume;                   // of --assume, joined by +
  // Under each open question (clock_law.hpp: assumed_clock_laws), by its words; none with --assume.
  std::map<std::string, ExternalClocks, std::less<>> assumed{};
  double seconds() const { return row.flops / (row.tflops * 1e12); } // measured
};

// The law of the clock, fitted to rows of use `fit` and to those of data/calibration whose series is not among theirs; the
// program's if there is no such row. `without`: series whose rows do not count. `under`: all rows are taken as the model has
// them under that assumption.
ClockLaw law_of(const std::vector<ExternalResult>& results, const std::set<std::string>& without = {},
                const AssumedClockLaw* under = nullptr);

// Relative error of the modelled throughput under a law: 0.1 is 10 % too fast.
// `under`: as the model has the row under that assumption.
double error_at(const ExternalResult& result, const ClockLaw& law, const AssumedClockLaw* under = nullptr);

// Of DIR/rows.csv. Throws InvalidInput that names file, line and column.
std::vector<ExternalRow> read_external_rows(const std::filesystem::path& folder);

// All rows are checked, files and arguments too, before the first is modelled. Throws InvalidInput for a row that cannot
// be launched, and on a real GPU, which has no model.
std::vector<ExternalResult> model_external(const std::filesystem::path& folder,
                                           const std::vector<std::string>& assumptions = {});

// What the clock's law can be fitted to.
std::vector<MeasuredLaunch> measured_launches(const std::vector<ExternalResult>& results);

void print(const std::vector<ExternalResult>& results, std::FILE* out); // external_report.cpp
void print_external_format(std::FILE* out);

} // namespace fmha950::harness
