#pragma once
// What a synchronised protocol adds to each launch (measured_launch.hpp): the host's own time for it. It is no matter of the
// GPU, so it is no constant of the clock's law; it decides what can be learnt from launches of a tenth of a millisecond.

#include "harness/perf/clock_data.hpp"

namespace fmha950::harness {

// The launches with `seconds` less where the host's launch is among what was measured.
ClockData without_host_launch(ClockData measured, double seconds = host_launch_seconds);

// Where attention of all lengths and bf16 GEMMs of 4,096 and more are predicted best, each time by the law that the loaded
// rows set: least squares of the relative errors of time. `measured`: as read_measured_data() has it.
double fitted_host_launch(const ClockData& measured);

// Of the time that was measured, dispatch and host's launch among it: 0.1 is 10 % too fast.
double whole_error_of(const ClockLaw& law, double host_launch, const MeasuredLaunch& measured);

} // namespace fmha950::harness
