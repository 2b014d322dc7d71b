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

// A launch under other assumptions (emulator/timing/assumption_words.hpp), if all of its workgroups are moved by them as the
// longest is: by equal factors.
struct Assumed {
  std::string words;  // "lds128+cold"
  double slower = 1;  // its clocks by those without them
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
  bool converts = false;        // LaunchWorkgroups::converts
};

struct Modelled {
  double flops = 0; // of the pairs that the mask lets be seen (visible_work.hpp)
  std::vector<ModelledLaunch> launches;
  double matrix_peak = 0; // FLOPs per clock of the GPU (reference_speeds.hpp)
  double tile_flops = 0;  // of all pairs of the kernel's tiles in which there is such a pair

  void add(Modelled other); // another call's launches, after these
  double clocks() const;    // of all launches
  bool converts() const;    // whether some launch only converts
  Modelled without_conversions() const;
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

// A line of the device's extension fmha950Timings.
ModelledLaunch modelled_launch_of(const nlohmann::ordered_json& line);
// The launches alone, of all lines.
Modelled modelled_of(std::string_view lines, double matrix_peak);

// "vmcnt 31 %, barrier 12 %": the largest shares, down to 1 %.
std::string largest(Named shares, size_t count);
// What waves of a launch waited for, without what they issued.
Named waits(const ModelledLaunch& launch);

// How busy the units of the whole GPU are while a launch runs, CUs that have no work included: what its
// clock depends on (clock_law.hpp).
struct BusyShares {
  double matrix_bf16 = 0, matrix_fp8 = 0,
         matrix_f8f6f4 = 0; // emulator/rates/instruction_use.hpp: MatrixFormat
  double valu = 0, lds = 0;
  double l2 = 0, mall = 0, hbm = 0; // bytes that each level serves, in a clock
};

// Their names in files.
struct NamedShare {
  const char* name;
  double BusyShares::* share;
  bool bytes = false; // in a clock; else a part of it
};
inline constexpr std::array<NamedShare, 8> named_shares = {{{"matrix_bf16", &BusyShares::matrix_bf16},
                                                            {"matrix_fp8", &BusyShares::matrix_fp8},
                                                            {"matrix_f8f6f4", &BusyShares::matrix_f8f6f4},
                                                            {"valu", &BusyShares::valu},
                                                            {"lds", &BusyShares::lds},
                                                            {"l2_bytes", &BusyShares::l2, true},
                                                            {"mall_bytes", &BusyShares::mall, true},
                                                            {"hbm_bytes", &BusyShares::hbm, true}}};

BusyShares busy_shares_of(const ModelledLaunch& launch);

// The launch if that is so.
ModelledLaunch under(const Assumed& assumed, ModelledLaunch launch);

// As records hold it (docs/results.md).
nlohmann::ordered_json to_json(const Modelled& modelled);

} // namespace fmha950::harness
