#pragma once
// A modelled workgroup as a trace that ui.perfetto.dev loads (Chromium's JSON Trace Event Format): every
// wave's instructions, and the matrix unit and VALU of each SIMD. A microsecond there is a clock.

#include "emulator/timing/model/result.hpp"
#include "emulator/timing/record/wave_record.hpp"

#include <string>

namespace fmha950::timing {

std::string perfetto(const std::string& kernel, const KernelRecord& record, const Simulation& run);

} // namespace fmha950::timing
