#pragma once
// The law of the clock (harness/perf/clock_law.hpp), fitted to what `silicon-check` has measured of each kind of instruction.

#include "harness/perf/clock_fit.hpp"
#include "harness/silicon/silicon_file.hpp"

#include <cstdio>

namespace fmha950::harness {

struct FittedConstant {
  ClockTerm term;
  double value = 0;
  double error = 0; // standard, by leaving out each launch in turn
};

struct EnergyFit {
  std::vector<MeasuredLaunch> held;      // by the limit of power below the highest clock: what is fitted to
  std::vector<FittedConstant> constants; // those that `held` has work for
  ClockLaw law;                          // the program's in the others
  double residual = 0;                   // root of the mean square of relative errors
  bool determined = false;               // more launches than constants
};
EnergyFit fitted_to_energy(const std::vector<MeasuredLaunch>& launches);
std::vector<MeasuredLaunch> launches_of(const SiliconCheck& check);

void print_energy(const SiliconCheck& check, std::FILE* out);

} // namespace fmha950::harness
