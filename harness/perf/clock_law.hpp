#pragma once
// The clock of the GPU under load. A power limit holds it down: the more a clock's work costs, the fewer clocks there are
// in a second. So the time of a clock is linear in how busy the units are, and never shorter than at 2,400 MHz. What the
// constants are fitted to, and how far they can be trusted: clock_fit.hpp, docs/timing.md.

#include "emulator/timing/assumption_words.hpp"
#include "harness/perf/modelled.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace fmha950::harness {

// Energies at the limit of power, in nanoseconds for each clock that a unit of the whole GPU is busy. Never negative.
struct ClockLaw {
  double idle = 0; // of a clock in which nothing is done
  double matrix_bf16 = 0, matrix_fp8 = 0, matrix_f8f6f4 = 0, valu = 0;
  double lds = 0,
         mall = 0; // the second for each byte; the data do not carry them: only fits that are shown have them
  double power = 1; // the limit holds clock^power x energy

  double energy(const BusyShares& shares) const {
    return idle + matrix_bf16 * shares.matrix_bf16 + matrix_fp8 * shares.matrix_fp8 +
           matrix_f8f6f4 * shares.matrix_f8f6f4 + valu * shares.valu + lds * shares.lds + mall * shares.mall;
  }
  double nanoseconds(const BusyShares& shares) const { // of a clock
    return std::max(1e9 / nominal_hertz, std::pow(energy(shares), 1 / power));
  }
  bool is_capped(const BusyShares& shares) const { return nanoseconds(shares) == 1e9 / nominal_hertz; }
  double hertz(const BusyShares& shares) const { return 1e9 / nanoseconds(shares); }
};

// What figures are given at: fitted to HipKittens' attention and bf16 GEMMs of 4,096 and more, the fp8 pass then to AMD's own V3,
// the f8f6f4 pass to fp8 GEMMs (`fmha950 device --calibration --clock`).
inline constexpr ClockLaw clock_law{.idle = 0.145,          // fit
                                    .matrix_bf16 = 0.490,   // fit
                                    .matrix_fp8 = 0.313,    // fit
                                    .matrix_f8f6f4 = 0.461, // fit
                                    .valu = 0.224};         // fit

// What a byte costs that L2 has not, beyond what the constants above hold of it: nanoseconds of a clock for each byte that the
// whole GPU asks for in it. Fit, to two orders of one GEMM (grid_swizzle.csv). It tells orders of workgroups apart where all CUs
// of a chiplet are followed; `perf` follows few workgroups and does not know what they share, so no figure of it has this.
inline constexpr double byte_beyond_l2 = 2.5e-5;  // 34.3 and 35.7 pJ, by where buffers lie
inline constexpr double power_limit_watts = 1400; // docs/hardware/clock_and_calibration.md

// What the host takes to launch where that lies between the two events of a measurement (clock_data.hpp): HipKittens'
// attention and bf16 GEMMs.
inline constexpr double host_launch_seconds = 10.3e-6; // fit, at the most that is possible (clock_data.cpp)
// By the pair of rows that asks for least (docs/timing.md#short-runs): what the interval spans, as the law depends on it.
inline constexpr double least_host_launch_seconds = 3.2e-6;
// What a measured launch takes beside its clocks.
inline double launch_seconds(bool synchronised, double host_launch = host_launch_seconds) {
  return dispatch_seconds + (synchronised ? host_launch : 0);
}

// Laws that the data allow as well, each fitted (clock_forms.hpp): what an interval spans.
struct OtherClockLaw {
  std::string_view name; // other_laws()
  ClockLaw law;
};
inline constexpr std::array<OtherClockLaw, 9> other_clock_laws{
    {{"without d128",
      {.idle = 0.139, .matrix_bf16 = 0.494, .matrix_fp8 = 0.319, .matrix_f8f6f4 = 0.468, .valu = 0.229}},
     {"without d64",
      {.idle = 0.238, .matrix_bf16 = 0.386, .matrix_fp8 = 0.177, .matrix_f8f6f4 = 0.362, .valu = 0.205}},
     {"without gemm",
      {.idle = 0.222, .matrix_bf16 = 0.475, .matrix_fp8 = 0.306, .matrix_f8f6f4 = 0.381, .valu = 0.108}},
     {"fp8 pass of V3-tensor alone",
      {.idle = 0.145, .matrix_bf16 = 0.490, .matrix_fp8 = 0.295, .matrix_f8f6f4 = 0.461, .valu = 0.224}},
     {"fp8 pass of V3-block alone",
      {.idle = 0.145, .matrix_bf16 = 0.490, .matrix_fp8 = 0.334, .matrix_f8f6f4 = 0.461, .valu = 0.224}},
     {"fp8 GEMMs' matrix units least busy",
      {.idle = 0.145, .matrix_bf16 = 0.490, .matrix_fp8 = 0.313, .matrix_f8f6f4 = 0.448, .valu = 0.224}},
     {"fp8 GEMMs' matrix units most busy",
      {.idle = 0.145, .matrix_bf16 = 0.490, .matrix_fp8 = 0.313, .matrix_f8f6f4 = 0.473, .valu = 0.224}},
     {"host's launch at its least",
      {.idle = 0.175, .matrix_bf16 = 0.479, .matrix_fp8 = 0.303, .matrix_f8f6f4 = 0.430, .valu = 0.186}},
     {"power as f^1.5",
      {.idle = 0,
       .matrix_bf16 = 0.512,
       .matrix_fp8 = 0.322,
       .matrix_f8f6f4 = 0.469,
       .valu = 0.212,
       .power = 1.5}}}};

// timing::open_questions, with the constants fitted to what the model says under each. Where inputs lie says nothing of
// energy, and none of the kernels that the law is fitted to makes FP8 codes or reads through a page table: under `cold`,
// `cvt8`, `cvt_u8_16` and `tlb` the constants stay as they are.
struct AssumedClockLaw {
  std::string_view words;
  std::string_view fitted_under; // those of `words` that data/calibration has the published kernels under
  ClockLaw law;
};
inline constexpr std::array<AssumedClockLaw, 12> assumed_clock_laws{{
    {"lds128",
     "lds128",
     {.idle = 0.177, .matrix_bf16 = 0.419, .matrix_fp8 = 0.258, .matrix_f8f6f4 = 0.428, .valu = 0.222}},
    {"mfma_slot",
     "mfma_slot",
     {.idle = 0.152, .matrix_bf16 = 0.483, .matrix_fp8 = 0.314, .matrix_f8f6f4 = 0.455, .valu = 0.213}},
    {"packed_alone",
     "packed_alone",
     {.idle = 0.145, .matrix_bf16 = 0.490, .matrix_fp8 = 0.313, .matrix_f8f6f4 = 0.462, .valu = 0.224}},
    {"barrier40",
     "barrier40",
     {.idle = 0.122, .matrix_bf16 = 0.501, .matrix_fp8 = 0.313, .matrix_f8f6f4 = 0.487, .valu = 0.244}},
    {"dma64",
     "dma64",
     {.idle = 0.136, .matrix_bf16 = 0.493, .matrix_fp8 = 0.313, .matrix_f8f6f4 = 0.471, .valu = 0.237}},
    {"cvt8", "", clock_law},
    {"cvt_u8_16", "", clock_law},
    {"cold", "", clock_law},
    {"tlb", "", clock_law},
    {"lds128+mfma_slot+packed_alone+barrier40+dma64+cvt_u8_16+cold+tlb",
     "lds128+mfma_slot+packed_alone+barrier40+dma64",
     {.idle = 0.174, .matrix_bf16 = 0.390, .matrix_fp8 = 0.313, .matrix_f8f6f4 = 0.431, .valu = 0.225}},
    {"mfma_slot+packed_alone+barrier40+dma64+cvt8+cvt_u8_16+tlb",
     "mfma_slot+packed_alone+barrier40+dma64",
     {.idle = 0.123, .matrix_bf16 = 0.496, .matrix_fp8 = 0.313, .matrix_f8f6f4 = 0.485, .valu = 0.239}},
    {"mfma_slot+packed_alone+dma64+cvt8+cvt_u8_16+cold+tlb",
     "mfma_slot+packed_alone+dma64",
     {.idle = 0.141, .matrix_bf16 = 0.487, .matrix_fp8 = 0.313, .matrix_f8f6f4 = 0.466, .valu = 0.227}},
}};
static_assert(std::ranges::equal(assumed_clock_laws, timing::open_questions, {}, &AssumedClockLaw::words));

} // namespace fmha950::harness
