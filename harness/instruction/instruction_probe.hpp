#pragma once
// A probe of the instructions that kernels are made of: runs a small kernel of its own on the device and
// compares what comes back with what the facts say (docs/probes.md).

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

} // namespace fmha950::instruction
