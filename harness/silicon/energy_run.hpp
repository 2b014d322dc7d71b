#pragma once
// A long loop of one kind of instruction on all compute units, the clock read back: what the law of the clock is fitted to.

#include "harness/silicon/silicon_file.hpp"

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

} // namespace fmha950::harness
