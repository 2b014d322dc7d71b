#pragma once
// Where the waves of a modelled run spent their clocks, by source line and instruction: what `perf annotate`
// shows of a measured one.

#include "emulator/timing/model/result.hpp"
#include "emulator/timing/record/wave_record.hpp"

#include <string>
#include <vector>

namespace fmha950::timing {

// A source line's part of the clocks of all waves, and its largest waits: "vmcnt 62 %, barrier 11 %". Without lines in the
// code object `source` is empty.
struct SourceShare {
  std::string source;
  double share = 0;
  std::string waits;
};
std::vector<SourceShare> source_shares(const KernelRecord& record, const Simulation& run); // by falling share

// Lines by falling share; instructions only of lines with at least 1 % of the clocks.
std::string source_listing(const std::string& kernel, const KernelRecord& record, const Simulation& run);

} // namespace fmha950::timing
