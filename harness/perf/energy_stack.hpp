#pragma once
// Where the time of a case goes at the clock that its work allows: nanoseconds of a compute unit for each tile of 256 x 64
// with head_dim 128 (modelled.hpp), by what the law of the clock charges them to. As a CPI stack has clocks, so this has
// time: where power is the limit, work that is hidden behind other work still costs.

#include "harness/perf/modelled.hpp"

namespace fmha950::harness {

// "idle" (of clocks as such), "matrix_bf16", "matrix_fp8", "matrix_f8f6f4", "valu", "lds" and "bytes" (nothing as
// long as no data set their constants: docs/timing.md), and "highest_clock": what no power would save, as the clock cannot be
// higher. Without dispatch; their sum is clocks_per_tile at the mean clock.
Named energy_stack_of(const Modelled& modelled);

} // namespace fmha950::harness
