#include "harness/perf/measure_series.hpp"

#include <algorithm>

namespace fmha950::harness {

MeasuredSeries measure_series(Sampler& sampler, const StoppingLimits& limits, double throttled_below) {
  constexpr double first_rest = 0.05, longest_rest = 0.5; // seconds, as nvbench
  StoppingRule rule(limits);
  MeasuredSeries series;
  double hertz = 0, rest = first_rest;
  bool clock_known = true;
  sampler.take(); // code and tables come to the GPU
  while (series.stopped == Stopped::not_yet) {
    const Sampler::Sample sample = sampler.take();
    if (sample.hertz && *sample.hertz < throttled_below) {
      ++series.throttled;
      sampler.rest(rest);
      rest = std::min(2 * rest, longest_rest);
    } else {
      rule.add(sample.seconds);
      clock_known &= sample.hertz.has_value();
      hertz += sample.hertz.value_or(0);
      rest = first_rest;
    }
    series.stopped = rule.after(sampler.wall_seconds());
  }
  series.runs = sampler.runs();
  series.samples = rule.samples();
  if (series.samples == 0) return series;
  series.seconds = rule.mean();
  series.noise = rule.noise();
  if (clock_known) series.hertz = hertz / series.samples;
  return series;
}

} // namespace fmha950::harness
