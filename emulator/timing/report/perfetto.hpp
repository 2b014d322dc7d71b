#pragma once
// A modelled workgroup as a trace that ui.perfetto.dev loads (Chromium's JSON Trace Event Format): what holds
// each unit of its CU, and of each wave its issues (4 clocks) and what it waited for between them, by the
// reasons of the CPI stack (category "wait"). A microsecond there is a clock.

#include "emulator/timing/model/result.hpp"
#include "emulator/timing/record/wave_record.hpp"

#include <string>

namespace fmha950::timing {

std::string perfetto(const std::string& kernel, const KernelRecord& record, const Simulation& run);

} // namespace fmha950::timing
