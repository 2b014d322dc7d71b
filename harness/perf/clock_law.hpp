#pragma once
// The clock of the GPU under load. A power limit holds it down: the more a clock's work costs, the fewer clocks there are
// in a second. So the time of a clock is linear in how busy the units are, and never shorter than at 2,400 MHz. What the
// constants are fitted to, and how far they can be trusted: clock_fit.hpp, docs/timing.md.

#include "harness/perf/busy_shares.hpp"

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
inline constexpr ClockLaw clock_law{.idle = 0.152,          // fit
                                    .matrix_bf16 = 0.483,   // fit
                                    .matrix_fp8 = 0.307,    // fit
                                    .matrix_f8f6f4 = 0.454, // fit
                                    .valu = 0.220};         // fit

// What the host takes to launch where that lies between the two events of a measurement (host_launch.hpp): HipKittens'
// attention and bf16 GEMMs.
inline constexpr double host_launch_seconds = 10.3e-6; // fit

// Laws that the data allow as well, each fitted (clock_forms.hpp): what an interval spans.
struct OtherClockLaw {
  std::string_view name; // other_laws()
  ClockLaw law;
};
inline constexpr std::array<OtherClockLaw, 7> other_clock_laws{
    {{"without d128",
      {.idle = 0.148, .matrix_bf16 = 0.484, .matrix_fp8 = 0.310, .matrix_f8f6f4 = 0.458, .valu = 0.223}},
     {"without d64",
      {.idle = 0.228, .matrix_bf16 = 0.397, .matrix_fp8 = 0.194, .matrix_f8f6f4 = 0.372, .valu = 0.205}},
     {"without gemm",
      {.idle = 0.233, .matrix_bf16 = 0.465, .matrix_fp8 = 0.296, .matrix_f8f6f4 = 0.370, .valu = 0.100}},
     {"fp8 pass of V3-tensor alone",
      {.idle = 0.152, .matrix_bf16 = 0.483, .matrix_fp8 = 0.288, .matrix_f8f6f4 = 0.454, .valu = 0.220}},
     {"fp8 pass of V3-block alone",
      {.idle = 0.152, .matrix_bf16 = 0.483, .matrix_fp8 = 0.327, .matrix_f8f6f4 = 0.454, .valu = 0.220}},
     {"fp8 GEMMs' matrix units least busy",
      {.idle = 0.152, .matrix_bf16 = 0.483, .matrix_fp8 = 0.307, .matrix_f8f6f4 = 0.440, .valu = 0.220}},
     {"fp8 GEMMs' matrix units most busy",
      {.idle = 0.152, .matrix_bf16 = 0.483, .matrix_fp8 = 0.307, .matrix_f8f6f4 = 0.467, .valu = 0.220}}}};

// What public sources leave open, with the constants fitted to what the model says under that assumption
// (emulator/timing/assumption_words.hpp; several would be joined by +). Where inputs lie says nothing of energy, and none of these
// kernels makes FP8 codes: under `cold` and `cvt8` the constants stay.
struct AssumedClockLaw {
  std::string_view words;
  ClockLaw law;
};
inline constexpr std::array<AssumedClockLaw, 6> assumed_clock_laws{{
    {"lds128",
     {.idle = 0.189, .matrix_bf16 = 0.402, .matrix_fp8 = 0.243, .matrix_f8f6f4 = 0.414, .valu = 0.215}},
    {"mfma_slot",
     {.idle = 0.152, .matrix_bf16 = 0.483, .matrix_fp8 = 0.307, .matrix_f8f6f4 = 0.455, .valu = 0.220}},
    {"barrier40",
     {.idle = 0.126, .matrix_bf16 = 0.495, .matrix_fp8 = 0.327, .matrix_f8f6f4 = 0.481, .valu = 0.241}},
    {"dma64",
     {.idle = 0.142, .matrix_bf16 = 0.486, .matrix_fp8 = 0.310, .matrix_f8f6f4 = 0.465, .valu = 0.234}},
    {"cvt8", clock_law},
    {"cold", clock_law},
}};

} // namespace fmha950::harness
