#include "harness/perf/clock_data.hpp"

#include "harness/perf/calibration_gemms.hpp"
#include "harness/perf/host_launch.hpp"
#include "workload/data_directory.hpp"

#include <algorithm>
#include <functional>
#include <sstream>

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

// Not of the words that were named after the table was made.
bool has_columns_of(const workload::CsvTable& table, const std::string& assume) {
  std::istringstream words(assume);
  for (std::string word; std::getline(words, word, '+');)
    if (!table.has("gpu_clocks_" + word)) return false;
  return true;
}

// How many times as long a row takes under assumptions. Of several together the table has no column: one multiplies.
double slower(const workload::CsvTable& table, size_t row, const std::string& assume) {
  std::istringstream words(assume);
  double factor = 1;
  for (std::string word; std::getline(words, word, '+');)
    factor *= table.positive(row, "gpu_clocks_" + word) / table.positive(row, "gpu_clocks");
  return factor;
}

// The columns are of the device of 22 November 2026; its matrix instructions are legacy fp8 ones.
std::vector<MeasuredLaunch> read_ck(const workload::CsvTable& table, const std::string& kernel,
                                    const std::function<double(size_t row)>& slower) {
  std::vector<MeasuredLaunch> launches;
  for (size_t row = 0; row < table.rows(); ++row) {
    if (table.text(row, "kernel") != kernel) continue;
    const double factor = slower(row);
    launches.push_back({.group = kernel + "-" + table.text(row, "quant"),
                        .length = table.integer(row, "keys", 1, INT64_MAX),
                        .seconds = 1e-6 * table.positive(row, "measured_us") - dispatch_seconds,
                        .clocks = table.positive(row, "gpu_clocks") * factor,
                        .shares = {.matrix_fp8 = table.positive(row, "matrix_busy") / factor,
                                   .valu = table.positive(row, "valu_busy") / factor,
                                   .lds = table.positive(row, "lds_busy") / factor}});
  }
  return launches;
}

std::vector<MeasuredLaunch> read_v3(const std::string& assume) {
  const workload::CsvTable table = calibration_table(ck_table);
  if (!has_columns_of(table, assume)) return {};
  std::vector<MeasuredLaunch> launches =
      read_ck(table, "V3", [&](size_t row) { return slower(table, row, assume); });
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
  return read_ck(table, kernel,
                 [&](size_t row) { return table.positive(row, column) / table.positive(row, "gpu_clocks"); });
}

ClockData read_measured_data(const std::string& assume) {
  ClockData data;
  for (const char* file : {"attention_runs.csv", "gemm_runs.csv"})
    for (MeasuredLaunch& launch : runs(file, assume)) {
      const bool fp8 = launch.shares.matrix_f8f6f4 > 0;
      const bool gemm = launch.group.starts_with("gemm"); // whose tiles are others' where it is short
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

ClockLaw fitted_law(const ClockData& data, double power, double gemm_busy) {
  ClockLaw law = fitted({.power = power}, loaded_terms, data.loaded);
  if (data.v3.empty())
    law.matrix_fp8 = clock_law.matrix_fp8;
  else
    law = fitted(law, {fp8_term}, data.v3);
  return fitted(law, {f8f6f4_term}, data.fp8_gemms(gemm_busy));
}

} // namespace fmha950::harness
