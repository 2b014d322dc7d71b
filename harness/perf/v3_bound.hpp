#pragma once
// What AMD's own V3 rules out. One workgroup on each CU at 2,400 MHz, it needs 2,985, 3,311 and 3,420 clocks for 64 keys of a row
// (measured; docs/hardware/clock_and_calibration.md, "FP8 kernels", point 1). So what takes the model of it beyond 3,600 is wrong.

#include <string_view>

namespace fmha950::harness {

inline constexpr double most_v3_clocks = 3600; // for 64 keys

// What the model says that V3 needs at least, of both quantisations the slower, if the words (joined by +) hold together: its
// rows of 1,024 and 8,192 keys in data/calibration, and what each word adds to them. `cvt8` and `cvt16` have no column: V3
// makes 32 conversions a SIMD for 64 keys and hides none of its VALU (of the 512 clocks that `exp16` adds it shows 536). Nor
// has `barrier40`: of V3's barriers one counts. All other words without a column count nothing.
double least_v3_clocks(std::string_view words);

inline bool is_ruled_out_by_v3(std::string_view words) { return least_v3_clocks(words) > most_v3_clocks; }

} // namespace fmha950::harness
