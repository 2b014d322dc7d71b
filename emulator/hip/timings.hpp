#pragma once
// Option timing: launches are modelled cycle by cycle (emulator/timing); results are kept until asked for, or written to a file.

#include "emulator/timing/record/recorder.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fmha950::hip {

// "" or what would be right: off, or samples or chiplet, and then, comma-separated, what to assume, and
// timeline to keep what report_timing() shows.
std::string time_launches(const std::string& text);

// Option timing_report: lines of launches go to this file instead, "" for none; "" or what is wrong with it. Launches are timed
// from then on; which words of option timing that means: docs/timing.md.
std::string timings_to_file(const std::string& path);

// The recorder of this launch; null when launches are not timed. With `alone` the launch is restricted to what it keeps.
std::unique_ptr<timing::Recorder> recorder_of(machine::Launch& launch);

// Models a launch that is over.
void model(timing::Recorder& recorder, const machine::Launch& launch);

// The report on a launch since the last take_timings(), by number: its first run as "perfetto" or "source"
// (emulator/timing/report). Nothing if the launch was not kept.
std::optional<std::string> report_timing(std::string_view form, size_t launch);

// A line of JSON for each launch since the last call (docs/timing.md); forgets them.
std::string take_timings();

} // namespace fmha950::hip
