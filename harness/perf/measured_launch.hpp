#pragma once
// Launches that somebody measured and the model has run: what the clock's law is fitted to (clock_fit.hpp). They are kept
// as data, so that the fit can be repeated without the kernels (data/calibration/*_runs.csv).

#include "harness/perf/modelled.hpp"
#include "workload/csv_table.hpp"

#include <filesystem>

namespace fmha950::harness {

struct MeasuredLaunch {
  std::string series; // d128-mha-causal, column `group`: rows of one kind, which are left out together
  int64_t length = 0; // keys, or the size of a GEMM
  double seconds = 0; // measured, without dispatch
  // The host waited for the GPU, recorded an event, launched and recorded another: its own time for the launch is among
  // the seconds (clock_data.hpp).
  bool synchronised = false;
  double clocks = 0;    // modelled, of the GPU, without dispatch
  BusyShares shares{};  // modelled
  std::string assume{}; // what the model assumed besides, "lds128+cold"
};

// Of column `protocol`: synchronised, or nothing. Throws InvalidInput for another word.
bool is_synchronised(const workload::CsvTable& table, size_t row);

// Throws InvalidInput that names file, line and column.
std::vector<MeasuredLaunch> read_measured_launches(const std::filesystem::path& file);
void write_measured_launches(const std::vector<MeasuredLaunch>& launches, const std::filesystem::path& file);

} // namespace fmha950::harness
