#pragma once
// What the embedded device's cycle model says of one run of a case (docs/timing.md). Modelled, never
// measured, and never in one column with a measured time.

#include "emulator/timing/latencies.hpp"

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fmha950::harness {

struct ModelledLaunch {
  std::string kernel;
  uint64_t workgroups = 0, sampled = 0;
  int resident = 0;          // workgroups on a CU at a time
  double clocks = 0;         // of the GPU
  double sampling_error = 0; // relative, of unsampled workgroups' clocks
  // Shares of the samples' clocks for which a unit of the CU (of its SIMDs) was busy, and of the waves' lives
  // by what they waited for: names as in emulator/timing/model/result.hpp.
  std::vector<std::pair<std::string, double>> busy, spent;
  std::vector<std::pair<std::string, double>> bytes; // of the whole launch by level, scaled from the samples
};

struct Modelled {
  double flops = 0; // of the attention that was asked for (row_sample.hpp)
  std::vector<ModelledLaunch> launches;

  void add(Modelled other);           // another call's launches, after these
  double clocks() const;              // of all launches
  double seconds(double hertz) const; // with the dispatch of each launch
  double teraflops(double hertz) const { return flops / seconds(hertz) / 1e12; }
  // Clocks of a CU for each 8.39 MFLOP: a tile of 256 x 64 with head_dim 128. Without dispatch.
  double clocks_per_tile() const;
  double sampling_error() const; // of the launches together
  const ModelledLaunch& longest() const;
};

using timing::dispatch_seconds;
using timing::nominal_hertz;
// The clock under matrix load: what makes modelled GEMMs of 8192 agree with published ones, bf16 and fp8, as
// a geometric mean (`fmha950 device --calibration`; data/calibration/gemm.csv, rows of use `fit`). Fitted, on
// GEMM only: attention keeps the matrix unit less busy and may clock higher.
inline constexpr double effective_hertz = 1.763e9;
inline constexpr int compute_units = timing::chiplets * timing::cus_per_chiplet;
inline constexpr double tile_flops = 4.0 * 256 * 64 * 128;

// `lines`: as the device's extension fmha950Timings gives them.
Modelled modelled_of(std::string_view lines, double flops);
nlohmann::ordered_json to_json(const Modelled& modelled);

// "vmcnt 31 %, barrier 12 %": what waves of a launch waited for most, without what they issued.
std::string largest_waits(const ModelledLaunch& launch, size_t count);
// The unit of a launch that was busy longest.
std::pair<std::string, double> bound_of(const ModelledLaunch& launch);

} // namespace fmha950::harness
