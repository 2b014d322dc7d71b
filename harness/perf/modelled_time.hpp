#pragma once
// From modelled clocks to modelled time: each launch at the clock that its work lets the GPU have, how far that time is known,
// and where it goes (docs/timing.md).

#include "harness/perf/modelled.hpp"

namespace fmha950::harness {

struct Range {
  double best = 0, low = 0, high = 0;
  bool sampling_known = true; // else the ends lack the sampling error: nobody knows how wide they should be
};

// Of all launches, dispatch included. The ends span the laws of the clock that the data allow, what was assumed beside it, each
// assumption with its own law, and two standard errors of sampling, where they are known.
Range seconds_of(const Modelled& modelled);
Range teraflops_of(const Modelled& modelled);
double hertz_of(const Modelled& modelled); // the mean over the launches' clocks
// The time in each other world of the interval by that of the best estimate, by its name: another law of the clock
// (clock_law.hpp) or an assumption. Those that change most first.
Named influences_on(const Modelled& modelled);

// How many times as fast one is as another, of one case. Both sides follow the same law and the same assumption: one's end is
// never held against another's.
struct Speed {
  Named by_world; // the best estimate first, under an empty name; then as influences_on() names them
  std::optional<double> sampling_error; // relative, of both sides
  double laboratory_spread = 0;         // of the other side, if it was measured (measured_elsewhere.hpp)
};
Speed speed_of(const Modelled& modelled, const Modelled& other);
Speed speed_of(const Modelled& modelled, double measured_teraflops);

// The geometric mean of one speed or several. Each world has its mean, so that all cases are under the same law and assumption,
// and the ends are the least and the largest of these; worlds that not all cases know are none. Two standard errors of sampling
// widen them (of several cases all to one side, as cases of one kernel may be sampled wrong in the same way), and the
// laboratory's spread, which is the same for all cases.
Range mean_of(const std::vector<Speed>& speeds);

// "ahead" or "behind" if all of the range says so, else "undecided". Without the sampling error it is always undecided.
const char* verdict_of(const Range& speed);
// "78.1 to 134.9"; with " ?" behind it where the sampling error is not among it.
std::string ends_of(const Range& range, int digits);

// Where the time of a case goes at the clock that its work allows: nanoseconds of a compute unit for each tile of 256 x 64
// with head_dim 128 (modelled.hpp), by what the law of the clock charges them to. As a CPI stack has clocks, so this has
// time: where power is the limit, work that is hidden behind other work still costs.
//
// "idle" (of clocks as such), "matrix_bf16", "matrix_fp8", "matrix_f8f6f4", "valu", "lds" and "bytes" (nothing as
// long as no data set their constants: docs/timing.md), and "highest_clock": what no power would save, as the clock cannot be
// higher. Without dispatch; their sum is clocks_per_tile at the mean clock.
Named energy_stack_of(const Modelled& modelled);

} // namespace fmha950::harness
