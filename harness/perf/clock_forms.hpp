#pragma once
// Other laws that the same data allow: what a modelled clock's interval spans, and which forms the data rule out.

#include "harness/perf/clock_validation.hpp"

#include <cstdio>

namespace fmha950::harness {

struct NamedLaw {
  std::string name;
  ClockLaw law;
};
// Each family left out, each quantisation of V3 alone, fp8 GEMMs at either end of what their matrix units may be busy, the
// host's launch at its least, and the forms of power that the data do not rule out. `measured`: of read_measured_data().
std::vector<NamedLaw> other_laws(const ClockData& measured);

struct ClockForm {
  std::string name;
  double power;
  std::vector<ClockTerm> terms;
};
// The law's own first.
std::vector<ClockForm> clock_forms();

struct FormErrors {
  ClockLaw law;
  Errors fitted, left_out; // attention of 4,096 and more
  Errors d128, d64, gemm;  // families, left out
  // Whether its error on left-out rows exceeds that of `best` and the law's own form by more than chance allows: in at least
  // 95 % of draws of the eight series with replacement it is larger by 0.1 %, which where buffers lie may do.
  bool ruled_out = false;
};
FormErrors errors_of(const ClockData& data, const ClockForm& form, const ClockData& best);

// What attention alone says of a GEMM's clock, by draws of its eight series with replacement: whether a GEMM that the law
// misses when all GEMMs are left out is more than attention can tell.
struct DrawnClock {
  const MeasuredLaunch* launch;
  double low, middle, high; // nanoseconds of a clock; 95 % of the draws are between the ends
  bool is_within() const {
    const double measured = 1e9 * launch->seconds / launch->clocks;
    return low <= measured && measured <= high;
  }
};
std::vector<DrawnClock> gemms_by_attention(const ClockData& data);

// What `device --calibration --clock` prints: the fit of the clock's law, repeated from data/calibration. Returns whether the law
// keeps its limits; what it breaks is the last that is printed. `measured`: of read_measured_data().
bool print_clock_fit(const ClockData& measured, std::FILE* out);

} // namespace fmha950::harness
