#pragma once
// Option timing: launches are modelled cycle by cycle (emulator/timing), and the results kept until asked
// for.

#include "emulator/timing/record/recorder.hpp"

#include <memory>
#include <string>

namespace fmha950::hip {

// "" or what would be right: off, or samples or chiplet, and then, comma-separated, what to assume.
std::string time_launches(const std::string& text);

// Of this launch; null when launches are not timed.
std::unique_ptr<timing::Recorder> recorder_of(const machine::Launch& launch);

// Models a launch that is over.
void model(timing::Recorder& recorder, const machine::Launch& launch);

// A line of JSON for each launch since the last call (docs/timing.md); forgets them.
std::string take_timings();

} // namespace fmha950::hip
