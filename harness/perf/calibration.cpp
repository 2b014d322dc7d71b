#include "harness/perf/calibration.hpp"

#include "bench/calibration/gemm.hpp"
#include "bench/calibration/micro.hpp"
#include "harness/perf/modelled.hpp"
#include "harness/perf/timing_in_force.hpp"
#include "harness/workload/csv_table.hpp"
#include "harness/workload/data_directory.hpp"

#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace fmha950::harness {

namespace {

using workload::CsvTable;

constexpr int least_judged_size = 4096;
constexpr uint32_t gemm_window = 8; // of the published kernels: grid_swizzle.csv's best
constexpr uint32_t cus_of_chiplet = timing::cus_per_chiplet;

CsvTable table(const char* file) { return CsvTable(workload::data_directory() / "calibration" / file); }

double clocks_of_last_launch() {
  const auto line = nlohmann::json::parse(hip::api().Timings());
  return line.at("runs").at(0).at("clocks").get<double>();
}

// --- micro-kernels ---

double clocks_of_step(const std::string& name) {
  constexpr uint32_t few = 4, many = 12;
  std::vector<uint32_t> content;
  const calibration::MicroTable table = calibration::micro_kernel(name).table;
  if (table == calibration::MicroTable::chase)
    content = calibration::chase_table(1 << 20, 65599); // no line twice, none of a page
  if (table == calibration::MicroTable::lds_chase) content = calibration::chase_table(4096, 65);
  const calibration::Micro micro(name, content);
  const TimingInForce timing("samples,cold");
  const auto clocks = [&](uint32_t iterations) {
    micro.launch(iterations, nullptr);
    hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
    return clocks_of_last_launch();
  };
  return (clocks(many) - clocks(few)) / ((many - few) * micro.kernel().steps);
}

void add_steps(Calibration& calibration) {
  const CsvTable published = table("latencies.csv");
  for (size_t row = 0; row < published.rows(); ++row)
    calibration.rows.push_back({.group = "clocks of a step",
                                .kernel = published.text(row, "kernel"),
                                .what = published.text(row, "step"),
                                .published = std::stod(published.text(row, "clocks")),
                                .modelled = clocks_of_step(published.text(row, "kernel")),
                                .fit = published.text(row, "use") == "fit"});
}

// --- GEMMs ---

// Clocks of a whole N x N x N GEMM: of the first round of one chiplet's workgroups, as often as there are
// rounds.
double gemm_clocks(const std::string& kernel, uint32_t size) {
  calibration::Gemm gemm(kernel, {size, size, size}, gemm_window);
  std::vector<uint32_t> first_round;
  for (uint32_t group = 0; group < gemm.workgroups() && first_round.size() < cus_of_chiplet;
       group += timing::chiplets)
    first_round.push_back(group);
  gemm.prepare(&first_round);
  const TimingInForce timing("chiplet");
  gemm.launch(nullptr, &first_round);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  const uint32_t places = compute_units;
  return clocks_of_last_launch() * ((gemm.workgroups() + places - 1) / places);
}

struct PublishedGemm {
  std::string group, kernel, what;
  uint32_t size;
  double teraflops;
  bool fit, judged;
  double flops() const { return 2.0 * size * size * size; }
};

std::vector<PublishedGemm> published_gemms(int largest) {
  const std::map<std::string, std::string> kernels = {{"HK", "gemm_bf16_16_ping_pong"},
                                                      {"HK_4wave", "gemm_fp8_16_interleaved"}};
  std::vector<PublishedGemm> gemms;
  const CsvTable sizes = table("gemm.csv");
  for (size_t row = 0; row < sizes.rows(); ++row) {
    const std::string& use = sizes.text(row, "use");
    const auto size = static_cast<uint32_t>(sizes.integer(row, "M", 1, 1 << 20));
    if (use == "other" || static_cast<int>(size) > largest) continue;
    gemms.push_back({"TFLOP/s by size", kernels.at(sizes.text(row, "library")),
                     fmt::format("{} {}", sizes.text(row, "dtype"), size), size,
                     std::stod(sizes.text(row, "tflops")), use == "fit",
                     static_cast<int>(size) >= least_judged_size});
  }
  const CsvTable schedules = table("pingpong_vs_interleave.csv");
  for (size_t row = 0; row < schedules.rows(); ++row) {
    if (schedules.text(row, "use") != "check") continue; // the others repeat gemm.csv
    gemms.push_back({"TFLOP/s by schedule", schedules.text(row, "kernel_here"),
                     schedules.text(row, "kernel") + ", " + schedules.text(row, "schedule"),
                     static_cast<uint32_t>(std::min(8192, largest)), std::stod(schedules.text(row, "tflops")),
                     false, largest >= 8192});
  }
  return gemms;
}

} // namespace

double Calibration::mean_absolute_error() const {
  double sum = 0;
  int count = 0;
  for (const CalibrationRow& row : rows) {
    if (row.fit || !row.judged || !row.group.starts_with("TFLOP/s by size")) continue;
    sum += std::abs(row.error());
    ++count;
  }
  return count ? sum / count : 0;
}

Calibration calibrate(int largest) {
  Calibration calibration;
  add_steps(calibration);
  const std::vector<PublishedGemm> gemms = published_gemms(largest);
  std::map<std::pair<std::string, uint32_t>, double> clocks;
  double log_hertz = 0;
  int fitted = 0;
  for (const PublishedGemm& gemm : gemms) {
    double& known = clocks[{gemm.kernel, gemm.size}];
    if (known == 0) known = gemm_clocks(gemm.kernel, gemm.size);
    if (!gemm.fit) continue;
    log_hertz += std::log(known / (gemm.flops() / (gemm.teraflops * 1e12) - dispatch_seconds));
    ++fitted;
  }
  calibration.hertz = fitted ? std::exp(log_hertz / fitted) : nominal_hertz;
  for (const PublishedGemm& gemm : gemms) {
    const double seconds = clocks.at({gemm.kernel, gemm.size}) / calibration.hertz + dispatch_seconds;
    calibration.rows.push_back({.group = gemm.group,
                                .kernel = gemm.kernel,
                                .what = gemm.what,
                                .published = gemm.teraflops,
                                .modelled = gemm.flops() / seconds / 1e12,
                                .fit = gemm.fit,
                                .judged = gemm.judged});
  }
  return calibration;
}

void print(const Calibration& calibration, std::FILE* out) {
  fmt::print(
      out,
      "cycle model against published figures of MI355X (data/calibration); GEMMs at an effective clock "
      "of {:.0f} MHz, fitted\n",
      calibration.hertz / 1e6);
  std::string group;
  for (const CalibrationRow& row : calibration.rows) {
    if (row.group != group)
      fmt::print(out, "{:<26} {:>10} {:>10} {:>8}  {:<6} {}\n", row.group, "published", "modelled", "error",
                 "use", "what");
    group = row.group;
    fmt::print(out, "{:<26} {:>10.1f} {:>10.1f} {:>6.1f} %  {:<6} {}\n", row.kernel, row.published,
               row.modelled, 100 * row.error(),
               row.fit      ? "fit"
               : row.judged ? "check"
                            : "small",
               row.what);
  }
  fmt::print(out, "mean absolute error of GEMM sizes from {} on that were not fitted: {:.1f} %\n",
             least_judged_size, 100 * calibration.mean_absolute_error());
}

} // namespace fmha950::harness
