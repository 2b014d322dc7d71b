#pragma once
// From modelled clocks to modelled time: each launch at the clock that its work lets the GPU have, and how far that time is
// known (docs/timing.md).

#include "harness/perf/modelled.hpp"

namespace fmha950::harness {

struct Range {
  double best = 0, low = 0, high = 0;
};

// Of all launches, dispatch included. The ends span the laws of the clock that the data allow, what was assumed beside it, each
// assumption with its own law, and two standard errors of sampling, where they are known.
Range seconds_of(const Modelled& modelled);
Range teraflops_of(const Modelled& modelled);
double hertz_of(const Modelled& modelled); // the mean over the launches' clocks
// The time in each other world of the interval by that of the best estimate, by its name: another law of the clock
// (clock_law.hpp) or an assumption. Those that change most first.
Named influences_on(const Modelled& modelled);

// How many times as fast `modelled` is as `other`. Both sides follow the same law and the same assumption: one's end is never
// held against another's.
Range speed_of(const Modelled& modelled, const Modelled& other);
Range speed_of(const Modelled& modelled, double measured_teraflops);

// "ahead" or "behind" if all of the range says so, else "undecided".
const char* verdict_of(const Range& speed);

} // namespace fmha950::harness
