#pragma once
// Where the waves of a modelled run spent their clocks, by source line and instruction: what `perf annotate`
// shows of a measured one.

#include "emulator/timing/model/result.hpp"
#include "emulator/timing/record/wave_record.hpp"

#include <string>

namespace fmha950::timing {

// Lines by falling share; instructions only of lines with at least 1 % of the clocks.
std::string source_listing(const std::string& kernel, const KernelRecord& record, const Simulation& run);

} // namespace fmha950::timing
