#pragma once
// Takes samples until the stopping rule is content, and leaves out those during which the GPU was throttled.
// Knows nothing of HIP: what a sample is, a Sampler says.

#include "harness/perf/measured.hpp"

namespace fmha950::harness {

class Sampler {
 public:
  struct Sample {
    double seconds = 0; // of one run
    std::optional<double> hertz;
  };
  virtual ~Sampler() = default;
  virtual Sample take() = 0;
  virtual int runs() const = 0;            // in a sample
  virtual double wall_seconds() const = 0; // since it was made
  virtual void rest(double seconds) = 0;   // lets the GPU cool down
};

// Below this many Hz a sample does not count: nvbench's rule. Its 75 % of the nominal clock would discard
// what a MI355X does under matrix load all the time (1,550 to 1,670 of 2,400 MHz under published GEMMs), hence the
// lower default of MeasureOptions.
MeasuredSeries measure_series(Sampler& sampler, const StoppingLimits& limits, double throttled_below);

} // namespace fmha950::harness
