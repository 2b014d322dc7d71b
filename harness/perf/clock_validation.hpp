#pragma once
// How well the clock's law predicts what it has not seen: rows are left out of the fit by series, by family, by
// quantisation, and judged by the law of the others.

#include "harness/perf/clock_data.hpp"

#include <functional>

namespace fmha950::harness {

struct LeftOut {
  const MeasuredLaunch* launch;
  ClockLaw law; // of the other series
  double error; // of throughput: 0.1 is 10 % too fast
};

// d128, d64, gemm: what a series' name begins with.
std::string family_of(const MeasuredLaunch& launch);
std::string series_of(const MeasuredLaunch& launch);
std::string row_of(const MeasuredLaunch& launch); // series and length
bool is_attention(const MeasuredLaunch& launch);

using Key = std::function<std::string(const MeasuredLaunch&)>;
// Each of data.loaded by the law that all with another key set.
std::vector<LeftOut> left_out(const ClockData& data, const Key& key, double power = 1,
                              const std::vector<ClockTerm>& terms = loaded_terms);
// Nothing left out: each by the same law.
std::vector<LeftOut> seen_by(const ClockLaw& law, const std::vector<MeasuredLaunch>& launches);
// Attention of all lengths, by law and host's launch of the other series; errors of the whole
// time. `measured`: of read_measured_data().
std::vector<LeftOut> attention_left_out(const ClockData& measured);
// Each bf16 GEMM by the law of all other rows, GEMMs of other sizes too.
std::vector<LeftOut> gemms_left_out(const ClockData& data);
// V3 by the fp8 pass that the other quantisation sets.
std::vector<LeftOut> v3_left_out(const ClockData& data);

struct Errors {
  double bias = 0, absolute = 0, largest = 0; // means, and the largest without its sign
  int rows = 0;
};
Errors errors_of(
    const std::vector<LeftOut>& rows,
    const std::function<bool(const MeasuredLaunch&)>& which = [](const auto&) { return true; });

// What the law must keep to be believed (docs/timing.md); empty if it does, else what it breaks.
std::vector<std::string> broken_limits(const ClockData& measured);

} // namespace fmha950::harness
