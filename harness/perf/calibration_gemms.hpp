#pragma once
// The published GEMMs that the cycle model is compared with, and what it says of them.

#include "calibration/workgroup_order.hpp"
#include "harness/perf/modelled.hpp"
#include "workload/csv_table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fmha950::harness {

inline const std::string by_size = "TFLOP/s by size"; // a heading
inline constexpr int least_judged_size = 4096;
inline constexpr int schedules_size = 8192; // data/calibration/README.md

workload::CsvTable calibration_table(const std::string& file); // of data/calibration

struct PublishedGemm {
  std::string heading, kernel, what;
  uint32_t size = 0;              // M = N = K
  calibration::TileOrder order{}; // of its workgroups
  double teraflops = 0;
  bool fit = false, judged = true;
  bool synchronised = false; // as of a MeasuredLaunch
  double flops() const { return 2.0 * size * size * size; }
};

// gemm.csv up to size `largest`; from 8192 on, the size that schedules were compared at, those too.
std::vector<PublishedGemm> published_gemms(int largest);
// grid_swizzle.csv: one GEMM of 8192 in several orders. The kernel is not the one of gemm.csv: only ratios
// of the rows say something. To be modelled with CUs apart, as they are over the rounds that were measured.
std::vector<PublishedGemm> published_orders();

// Clocks of the whole GEMM, without dispatch.
struct GemmRun {
  double clocks = 0;
  BusyShares shares{};
};
struct GemmClocks {
  GemmRun chiplet; // the first round of one chiplet's workgroups, which share its L2, times the rounds
  GemmRun sampled; // few workgroups, each alone, and the schedule of all: as `perf` models attention
};
GemmClocks clocks_of(const PublishedGemm& gemm, const std::vector<std::string>& assumptions);

} // namespace fmha950::harness
