#pragma once
// Runs a case on a GPU for its time, with warm and with cold caches.

#include "harness/perf/measured.hpp"
#include "interface/implementation.hpp"

#include <string>

namespace fmha950::harness {

struct MeasureOptions {
  StoppingLimits limits;
  double throttle = 0.5;         // of the nominal clock: below it a sample does not count
  std::string arguments() const; // what differs from the defaults, as on the command line
};

// Throws InvalidInput on the embedded device, whose time is the emulation's.
Measured measure_case(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
                      const MeasureOptions& options);

} // namespace fmha950::harness
