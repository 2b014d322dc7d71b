#pragma once
// What a GPU was measured to take for one run of a case. Never in one column with what is modelled.

#include "harness/perf/stopping_rule.hpp"

#include <nlohmann/json_fwd.hpp>
#include <optional>

namespace fmha950::harness {

struct MeasuredSeries {
  int samples = 0, throttled = 0; // those that count, and those that were discarded
  int runs = 0;                   // of the case in a sample
  double seconds = 0;             // of one run, mean; 0 if every sample was throttled
  double noise = 0;               // relative standard deviation of the samples
  Stopped stopped = Stopped::not_yet;
  std::optional<double> hertz; // of the compute units while it was measured, mean; none where it is not known
};

struct Measured {
  double flops = 0;        // of the attention that was asked for (row_sample.hpp)
  double matrix_flops = 0; // of the GPU's matrix cores in a second at its nominal clock, for the case's types
  double nominal_hertz = 0;  // as the runtime says
  MeasuredSeries warm, cold; // caches
  double teraflops(const MeasuredSeries& series) const { return flops / series.seconds / 1e12; }
  double of_peak(const MeasuredSeries& series) const { return flops / series.seconds / matrix_flops; }
};

nlohmann::ordered_json to_json(const Measured& measured);

} // namespace fmha950::harness
