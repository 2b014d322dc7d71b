#pragma once
// How far the modelled speed of a row of `device --calibration --external` is known (docs/timing.md#what-a-figure-leaves-open).

#include "harness/perf/external_calibration.hpp"
#include "harness/perf/modelled_time.hpp"

namespace fmha950::harness {

// Laws of the clock for rows of one series, which are fitted without it.
struct SeriesLaws {
  ClockLaw best;
  // What the data allow besides: with rows of use `fit` each other series of theirs left out as well; else the laws of the
  // program (clock_law.hpp: other_clock_laws).
  std::vector<ClockLaw> others;
  // Fitted anew under each open question that all rows were replayed under.
  std::vector<std::pair<const AssumedClockLaw*, ClockLaw>> assumed;
};
SeriesLaws laws_for(const std::string& series, const std::vector<ExternalResult>& results);

// TFLOP/s over these laws, and two standard errors of sampling.
Range teraflops_of(const ExternalResult& result, const SeriesLaws& laws);

} // namespace fmha950::harness
