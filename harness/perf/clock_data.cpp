#include "harness/perf/clock_data.hpp"

#include "harness/perf/calibration_gemms.hpp"
#include "interface/case_text.hpp"
#include "workload/data_directory.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace fmha950::harness {

namespace {

constexpr const char* ck_table = "ck_v2_v3_in_the_model.csv";
constexpr int64_t least_loaded = 4096, least_v3_keys = 32768, least_fp8_gemm = 8192;

std::vector<MeasuredLaunch> runs(const char* file, const std::string& assume) {
  std::vector<MeasuredLaunch> launches =
      read_measured_launches(workload::data_file(std::string("calibration/") + file));
  std::erase_if(launches, [&](const MeasuredLaunch& launch) { return launch.assume != assume; });
  return launches;
}

// Of the clocks under assumptions, words joined by +.
std::vector<std::string> columns_of(const std::string& assume) {
  std::vector<std::string> columns;
  for (const std::string_view word : case_text::split(assume, '+'))
    if (!word.empty()) columns.push_back("gpu_clocks_" + std::string(word));
  return columns;
}

// The columns are of the device of 22 November 2026; its matrix instructions are legacy fp8 ones.
std::vector<MeasuredLaunch> read_ck(const workload::CsvTable& table, const std::string& kernel,
                                    const std::function<double(size_t row)>& slower) {
  std::vector<MeasuredLaunch> launches;
  for (size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "kernel") != kernel) continue;
    const double factor = slower(row);
    launches.push_back({.series = kernel + "-" + table.text(row, "quant"),
                        .length = table.integer(row, "keys", 1, INT64_MAX),
                        .seconds = 1e-6 * table.positive(row, "measured_us") - dispatch_seconds,
                        .clocks = table.positive(row, "gpu_clocks") * factor,
                        .shares = {.matrix_fp8 = table.positive(row, "matrix_busy") / factor,
                                   .valu = table.positive(row, "valu_busy") / factor,
                                   .lds = table.positive(row, "lds_busy") / factor}});
  }
  return launches;
}

// By how much a row is slower by a column than as the model was. That of `mfma_slot` is of 22 November, when an MFMA took one
// VALU slot; it takes two now.
double slower_by(const workload::CsvTable& table, size_t row, const std::string& column) {
  const double slower = table.positive(row, column) / table.positive(row, "gpu_clocks");
  return column == "gpu_clocks_mfma_slot" ? 1 + 2 * (slower - 1) : slower;
}

// None under words that were named after the table was made. Of several together it has no column: one multiplies.
std::vector<MeasuredLaunch> read_v3(const std::string& assume) {
  const workload::CsvTable table = calibration_table(ck_table);
  const std::vector<std::string> columns = columns_of(assume);
  if (!std::ranges::all_of(columns, [&](const std::string& column) { return table.has(column); })) return {};
  std::vector<MeasuredLaunch> launches = read_ck(table, "V3", [&](size_t row) {
    double slower = 1;
    for (const std::string& column : columns) slower *= slower_by(table, row, column);
    return slower;
  });
  std::erase_if(launches, [](const MeasuredLaunch& launch) { return launch.length < least_v3_keys; });
  return launches;
}

} // namespace

std::vector<MeasuredLaunch> ClockData::fp8_gemms(double share) const {
  std::vector<MeasuredLaunch> launches = modelled_fp8_gemms;
  for (MeasuredLaunch& launch : launches) {
    // The work is the same: a unit that is busy for more of the clocks does it in fewer.
    const double fewer = launch.shares.matrix_f8f6f4 / share;
    launch.clocks *= fewer;
    launch.shares.matrix_f8f6f4 = share;
    launch.shares.valu /= fewer;
  }
  return launches;
}

std::vector<MeasuredLaunch> read_ck_rows(const std::string& kernel, const std::string& column) {
  const workload::CsvTable table = calibration_table(ck_table);
  if (!table.has(column)) return {};
  return read_ck(table, kernel, [&](size_t row) { return slower_by(table, row, column); });
}

ClockData read_measured_data(const std::string& assume) {
  ClockData data;
  for (const char* file : {"attention_runs.csv", "gemm_runs.csv"})
    for (MeasuredLaunch& launch : runs(file, assume)) {
      const bool fp8 = launch.shares.matrix_f8f6f4 > 0;
      const bool gemm = launch.series.starts_with("gemm"); // whose tiles are others' where it is short
      if (gemm && launch.length < (fp8 ? least_fp8_gemm : least_loaded)) continue;
      auto& set = fp8 ? data.modelled_fp8_gemms : launch.length < least_loaded ? data.small : data.loaded;
      set.push_back(std::move(launch));
    }
  data.v3 = read_v3(assume);
  return data;
}

ClockData read_clock_data(const std::string& assume) {
  return without_host_launch(read_measured_data(assume));
}

std::vector<MeasuredLaunch> read_judging_gemms() {
  ClockData data;
  data.loaded = runs("hipkittens_gemm_runs.csv", "");
  return without_host_launch(std::move(data)).loaded;
}

ClockLaw fitted_law(const ClockData& data, double power, double gemm_busy) {
  ClockLaw law = fitted({.power = power}, loaded_terms, data.loaded);
  if (data.v3.empty())
    law.matrix_fp8 = clock_law.matrix_fp8;
  else
    law = fitted(law, {fp8_term}, data.v3);
  return fitted(law, {f8f6f4_term}, data.fp8_gemms(gemm_busy));
}

ClockData without_host_launch(ClockData measured, double seconds) {
  for (auto* launches : {&measured.loaded, &measured.small, &measured.v3, &measured.modelled_fp8_gemms})
    for (MeasuredLaunch& launch : *launches)
      if (launch.synchronised) launch.seconds -= seconds;
  return measured;
}

double whole_error_of(const ClockLaw& law, double host_launch, const MeasuredLaunch& measured) {
  return (measured.seconds + dispatch_seconds) / (1e-9 * measured.clocks * law.nanoseconds(measured.shares) +
                                                  launch_seconds(measured.synchronised, host_launch)) -
         1;
}

double fitted_host_launch(const ClockData& measured) {
  const auto squares = [&](double seconds) {
    const ClockLaw law = fitted({}, loaded_terms, without_host_launch(measured, seconds).loaded);
    double sum = 0;
    for (const auto* launches : {&measured.loaded, &measured.small})
      for (const MeasuredLaunch& launch : *launches) sum += std::pow(whole_error_of(law, seconds, launch), 2);
    return sum;
  };
  // The shortest launch that was measured so: a bf16 GEMM of 1,024 in 15.4 us with its dispatch, 64 workgroups whose matrix
  // units alone need 8,192 clocks (docs/timing.md#short-runs).
  constexpr double most = 15.4e-6 - dispatch_seconds - 8192 / nominal_hertz, step = 1e-7;
  double best = 0, least = squares(best);
  for (double seconds = step; seconds <= most; seconds += step)
    if (const double sum = squares(seconds); sum < least) {
      least = sum;
      best = seconds;
    }
  return best;
}

} // namespace fmha950::harness
