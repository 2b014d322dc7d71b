#pragma once
// A probe of the instructions that kernels are made of: runs a small kernel of its own on the device and
// compares what comes back with what the facts say (docs/probes.md).

#include "interface/outcome.hpp"
#include "numerics/target.hpp"

#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace fmha950::instruction {

inline constexpr int lanes = target.wave_lanes;

struct Measurement {
  double error = 0;  // the largest, relative to what was expected; of copies, the number of wrong bytes
  std::string worst; // where that is, what came and what should have; "" without an error
};

struct InstructionProbe {
  std::string name;                     // family/details: the key of --filter
  std::string reason;                   // one line: what it compares with what
  double limit = 0;                     // the largest error that passes
  std::function<Measurement()> measure; // on the device as it is set
};

std::vector<InstructionProbe> mfma_tiles();     // one tile of Q K^T
std::vector<InstructionProbe> scale_operands(); // every byte, value and lane of both scale operands
std::vector<InstructionProbe> lds_dma_widths(); // what lands where

std::vector<InstructionProbe> all_instruction_probes();

// Collects the largest error of many values relative to each of them. NaN is right where NaN is expected and
// infinitely wrong elsewhere; so is anything but zero where zero is expected.
class LargestError {
 public:
  // `place()` names the value, as text.
  template <class Place> void compare(double got, double want, Place place) {
    if (got == want || (std::isnan(got) && std::isnan(want))) return;
    const double error = std::isfinite(got) && std::isfinite(want) && want != 0
                             ? std::abs(got - want) / std::abs(want)
                             : std::numeric_limits<double>::infinity();
    if (error <= largest_.error) return;
    largest_ = {error, fmt::format("{}: {} instead of {}", place(), got, want)};
  }
  const Measurement& largest() const { return largest_; }

 private:
  Measurement largest_;
};

// Runs probes and prints what came out.
//
// Settings of the device; each must pass: both forms of MFMA arithmetic, or as it is ("").
std::vector<std::string> mfma_forms();

struct InstructionResult {
  std::vector<Measurement> measurements; // of each form that came to its end
  Outcome outcome = Outcome::failed(OutcomeKind::not_run, "not run");
};

// `inaccurate` beyond the probe's limit, `hazard` when a check of the device found something.
InstructionResult judge(const InstructionProbe& probe);

// A table with a line for each, and the closing line `N passed, N failed, N skipped`. Returns the process's
// exit code.
int run_instruction_probes(const std::vector<InstructionProbe>& probes);

} // namespace fmha950::instruction
