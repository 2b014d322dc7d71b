#pragma once
// A program's launches as a trace that ui.perfetto.dev loads (Chromium's JSON Trace Event Format): a process for each file, a row for
// each stream. A launch begins where the one before it in its process ends, in the order of the calls: each is modelled alone, and
// what two streams would take from each other is not known. A microsecond there is a modelled one.

#include "harness/perf/launch_timings.hpp"

namespace fmha950::harness {

std::string launch_timeline(const std::vector<LaunchTiming>& timings);

} // namespace fmha950::harness
