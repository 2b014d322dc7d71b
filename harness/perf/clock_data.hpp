#pragma once
// What the clock's law is fitted to and judged by, of data/calibration (its README.md says what may be fitted), and what the
// host's launch takes of what was measured.

#include "harness/perf/clock_fit.hpp"

namespace fmha950::harness {

struct ClockData {
  std::vector<MeasuredLaunch>
      loaded; // bf16 attention and GEMMs of 4,096 and more: they set idle, bf16 and VALU
  std::vector<MeasuredLaunch> small; // attention that is shorter: it sets the host's launch alone
  // AMD's own V3 of 32,768 keys and more, which sets the legacy fp8 pass; by quantisation (`series`). Empty under
  // assumptions for which the table has no column: the pass is then that of `clock_law`.
  std::vector<MeasuredLaunch> v3;
  // fp8 GEMMs of 8,192 and 16,384, which set the f8f6f4 pass. Kernels here spill where the measured ones did not, so a
  // matrix unit is assumed that is busy for `share` of the clocks.
  std::vector<MeasuredLaunch> fp8_gemms(double share) const;
  std::vector<MeasuredLaunch> modelled_fp8_gemms;
};
inline constexpr double least_gemm_busy = 0.85, most_gemm_busy = 1.0;

// `assume`: what the model assumed, words joined by +. With the host's launch among the seconds of a synchronised protocol, and
// without it.
ClockData read_measured_data(const std::string& assume = "");
ClockData read_clock_data(const std::string& assume = "");
// HipKittens' own bf16 GEMMs, without the host's launch: they judge, and set nothing. With a chiplet's L2 shared by its workgroups,
// as it is, and (`own-l2` in the series) as `perf` models launches, each workgroup with a part for itself.
std::vector<MeasuredLaunch> read_judging_gemms();
// All rows of AMD's V2 or V3, with the clocks of that column: gpu_clocks, gpu_clocks_cold. None without it.
std::vector<MeasuredLaunch> read_ck_rows(const std::string& kernel, const std::string& column);

// All constants: idle, bf16 and VALU of `loaded`, with the others taken as they then are the fp8 pass of `v3` and the f8f6f4
// pass of GEMMs whose matrix units are busy for `gemm_busy`.
ClockLaw fitted_law(const ClockData& data, double power = 1,
                    double gemm_busy = (least_gemm_busy + most_gemm_busy) / 2);
inline const std::vector<ClockTerm> loaded_terms{idle_term, bf16_term, valu_term};

// What a synchronised protocol adds to each launch (measured_launch.hpp): the host's own time for it. It is no matter of the
// GPU, so it is no constant of the clock's law; it decides what can be learnt from launches of a tenth of a millisecond.
//
// The launches with `seconds` less where the host's launch is among what was measured.
ClockData without_host_launch(ClockData measured, double seconds = host_launch_seconds);

// Where attention of all lengths and bf16 GEMMs of 4,096 and more are predicted best, each time by the law that the loaded
// rows set: least squares of the relative errors of time. `measured`: as read_measured_data() has it.
double fitted_host_launch(const ClockData& measured);

// Of the time that was measured, dispatch and host's launch among it: 0.1 is 10 % too fast.
double whole_error_of(const ClockLaw& law, double host_launch, const MeasuredLaunch& measured);

} // namespace fmha950::harness
