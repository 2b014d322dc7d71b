#pragma once
// What a GPU is measured to take for one run of a case, with warm and with cold caches. It never stands in one
// column with what is modelled.

#include "harness/perf/measure_series.hpp"
#include "interface/implementation.hpp"

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace fmha950::harness {

struct Measured {
  double flops = 0;        // of the attention that was asked for (row_sample.hpp)
  double matrix_flops = 0; // of the GPU's matrix cores in a second at its nominal clock, for the case's types
  double nominal_hertz = 0;  // as the runtime says
  MeasuredSeries warm, cold; // caches
  double teraflops(const MeasuredSeries& series) const { return flops / series.seconds / 1e12; }
  double of_peak(const MeasuredSeries& series) const { return flops / series.seconds / matrix_flops; }
};

nlohmann::ordered_json to_json(const Measured& measured);

struct MeasureOptions {
  StoppingLimits limits;
  double throttle = 0.5;         // of the nominal clock: below it a sample does not count
  std::string arguments() const; // what differs from the defaults, as on the command line
};

// Throws InvalidInput on the embedded device, whose time is the emulation's.
Measured measure_case(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
                      const MeasureOptions& options);

} // namespace fmha950::harness
