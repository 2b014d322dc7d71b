#pragma once
// What instructions cost of the limit of power: a long loop of one kind on all compute units, the clock read back, and the
// law of the clock (harness/perf/clock_law.hpp) fitted to it.

#include "harness/perf/clock_fit.hpp"
#include "harness/silicon/silicon_check.hpp"

#include <cstdio>
#include <string_view>

namespace fmha950::harness {

// What is run: each kernel, and those that load once with data from L2 and once from HBM.
struct EnergyItem {
  std::string_view kernel, memory;
};
std::vector<EnergyItem> energy_items();

// The share of the whole GPU's clocks for which its units are busy, by what `iterations` of the kernel do in `clocks` on every
// compute unit. Rates are the cycle model's, so that the law's constants are of a clock that a unit is busy there.
BusyShares shares_by_counts(const EnergyItem& item, uint32_t iterations, double clocks, int compute_units);

// On a GPU for as long as the clock needs to settle; on the embedded device, whose clock is always 2,400 MHz, shortly and on
// two compute units, which stand for all.
MeasuredEnergy run_energy(const EnergyItem& item, int compute_units);

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
