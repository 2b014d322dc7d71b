#pragma once
// What the embedded device's cycle model says of one run of a case (docs/timing.md). Modelled, never
// measured, and never in one column with a measured time.

#include "emulator/rates/latencies.hpp"
#include "numerics/target.hpp"

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fmha950::harness {

using timing::dispatch_seconds;
using timing::nominal_hertz;
inline constexpr int compute_units = target.compute_units();

using Named = std::vector<std::pair<std::string, double>>; // in the model's order

// The longest workgroup of a launch under other assumptions (emulator/timing/assumption_words.hpp).
struct Assumed {
  std::string words;  // "lds128+cold"
  double slower = 1;  // its clocks by those that it takes in the launch
  Named busy, matrix; // as below
};

struct ModelledLaunch {
  std::string kernel;
  uint64_t workgroups = 0, sampled = 0;
  int resident = 0;    // workgroups on a CU at a time
  double clocks = 0;   // of the GPU
  double occupied = 0; // part of the clocks of all its places for which there is a workgroup in them
  // Relative; none where too few workgroups were sampled to say (emulator/timing/gpu_time.hpp).
  std::optional<double> sampling_error;
  // Shares of the samples' clocks for which a unit of the CU (of its SIMDs) was busy, and of the waves' lives
  // by what they waited for: names as in emulator/timing/model/result.hpp.
  Named busy, spent;
  Named matrix; // the busy matrix units by format
  Named bytes;  // of the whole launch by level, scaled from the samples
  // Counts of the samples, as the counters SQ_INSTS_LDS and SQ_LDS_BANK_CONFLICT would have them.
  uint64_t lds_instructions = 0, lds_conflicts = 0;
  std::vector<Assumed> assumed; // if it was asked for
};

struct Modelled {
  double flops = 0; // of the pairs that the mask lets be seen (visible_work.hpp)
  std::vector<ModelledLaunch> launches;
  double matrix_peak = 0; // FLOPs per clock of the GPU (matrix_peak.hpp)
  double tile_flops = 0;  // of all pairs of the kernel's tiles in which there is such a pair

  void add(Modelled other); // another call's launches, after these
  double clocks() const;    // of all launches
  // Clocks of a CU for each tile of 256 x 64 with head_dim 128, 8.39 MFLOP. Only tiles count that the kernel
  // cannot leave out. Without dispatch.
  double clocks_per_tile() const;
  // flops against what the GPU's matrix units could do meanwhile. Without dispatch.
  double matrix_fraction() const { return flops / (clocks() * matrix_peak); }
  Named bytes() const;                          // of all launches by level of memory
  std::optional<double> sampling_error() const; // of the launches together
  const ModelledLaunch& longest() const;
};

inline constexpr double flops_per_tile = 4.0 * 256 * 64 * 128;

// The launches alone. `lines`: as the device's extension fmha950Timings gives them.
Modelled modelled_of(std::string_view lines, double matrix_peak);

// "vmcnt 31 %, barrier 12 %": the largest shares, down to 1 %.
std::string largest(Named shares, size_t count);
// What waves of a launch waited for, without what they issued.
Named waits(const ModelledLaunch& launch);

} // namespace fmha950::harness
