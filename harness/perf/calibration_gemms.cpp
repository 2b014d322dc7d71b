#include "harness/perf/calibration_gemms.hpp"

#include "calibration/gemm.hpp"
#include "emulator/timing/sample_choice.hpp"
#include "harness/perf/measured_launch.hpp"
#include "harness/perf/modelled.hpp"
#include "harness/perf/modelled_launch.hpp"
#include "workload/data_directory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <numeric>

namespace fmha950::harness {

namespace {

using workload::CsvTable;

// Of the published kernels. Those of 1,024 and 2,048 have smaller tiles, windows and chunks: no figure of theirs is judged.
calibration::TileOrder published_order(uint32_t size) {
  return {.window = 8, .chunk = size < 16384 ? 64u : 256u};
}

// Of grid_swizzle.csv: each chiplet has an eighth of all tiles in a row. Its kernels are older than gemm.csv's.
calibration::TileOrder order_in_eighths(uint32_t size, uint32_t window) {
  const uint32_t edge = size / calibration::tile_edge;
  return {window, edge * edge / calibration::chiplets};
}

// What the device says of one launch of some workgroups.
std::string model(calibration::Gemm& gemm, const std::string& placement,
                  const std::vector<uint32_t>& workgroups) {
  gemm.prepare(&workgroups);
  const TimingInForce timing(placement);
  gemm.launch(nullptr, &workgroups);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  return hip::api().Timings();
}

} // namespace

CsvTable calibration_table(const std::string& file) {
  return CsvTable(workload::data_file("calibration/" + file));
}

std::vector<PublishedGemm> published_gemms(int largest) {
  const std::map<std::string, std::string> kernels = {{"HK", "gemm_bf16_16_ping_pong"},
                                                      {"HK_4wave", "gemm_fp8_16_interleaved"}};
  std::vector<PublishedGemm> gemms;
  const CsvTable sizes = calibration_table("gemm.csv");
  for (size_t row = 0; row < sizes.rows(); ++row) {
    const std::string& use = sizes.text(row, "use");
    const auto size = static_cast<uint32_t>(sizes.integer(row, "M", 1, 1 << 20));
    if (use == "other" || static_cast<int>(size) > largest) continue;
    gemms.push_back({by_size, kernels.at(sizes.text(row, "library")),
                     fmt::format("{} {}", sizes.text(row, "dtype"), size), size, published_order(size),
                     sizes.positive(row, "tflops"), use == "fit", static_cast<int>(size) >= least_judged_size,
                     is_synchronised(sizes, row)});
  }
  const CsvTable schedules = calibration_table("pingpong_vs_interleave.csv");
  for (size_t row = 0; row < schedules.rows() && largest >= schedules_size; ++row)
    if (schedules.text(row, "use") == "check") // the others repeat gemm.csv
      gemms.push_back({"TFLOP/s by schedule", schedules.text(row, "kernel_here"),
                       schedules.text(row, "kernel") + ", " + schedules.text(row, "schedule"), schedules_size,
                       published_order(schedules_size), schedules.positive(row, "tflops")});
  return gemms;
}

std::vector<PublishedGemm> published_orders() {
  std::vector<PublishedGemm> gemms;
  const CsvTable orders = calibration_table("grid_swizzle.csv");
  for (size_t row = 0; row < orders.rows(); ++row) {
    const auto window =
        static_cast<uint32_t>(orders.integer(row, "window_WGM(0=row-major, no XCD remap)", 0, 64));
    const auto size = static_cast<uint32_t>(orders.integer(row, "M=N=K", 1, 1 << 20));
    gemms.push_back({"speed by order, of the best", "gemm_bf16_16_ping_pong",
                     window == 0 ? "row by row" : fmt::format("windows of {} rows", window), size,
                     order_in_eighths(size, window), orders.positive(row, "tflops"),
                     orders.text(row, "use") == "fit"});
  }
  return gemms;
}

GemmClocks clocks_of(const PublishedGemm& published, const std::vector<std::string>& assumptions) {
  std::string words;
  for (const std::string& word : assumptions) words += "," + word;
  calibration::Gemm gemm(published.kernel, {published.size, published.size, published.size}, published.order);
  std::vector<uint32_t> all(gemm.workgroups());
  std::iota(all.begin(), all.end(), 0u);
  const Modelled chiplet = modelled_of(
      model(gemm, "chiplet" + words, timing::first_of_a_chiplet(gemm.workgroups(), timing::cus_per_chiplet)),
      0);
  const Modelled sampled =
      modelled_of(model(gemm, "samples" + words, timing::choose_samples(all, {}, timing::fewest_samples)), 0);
  return {.chiplet = {chiplet.clocks(), busy_shares_of(chiplet.longest())},
          .sampled = {sampled.clocks(), busy_shares_of(sampled.longest())}};
}

} // namespace fmha950::harness
