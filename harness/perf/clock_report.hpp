#pragma once
// What `device --calibration --clock` prints: the fit of the clock's law, repeated from data/calibration.

#include "harness/perf/clock_forms.hpp"

#include <cstdio>

namespace fmha950::harness {

// Whether the law keeps its limits; what it breaks is the last that is printed.
// `measured`: of read_measured_data().
bool print_clock_fit(const ClockData& measured, std::FILE* out);

} // namespace fmha950::harness
