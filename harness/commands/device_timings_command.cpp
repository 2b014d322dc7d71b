#include "harness/commands/commands.hpp"

#include "harness/perf/launch_timings.hpp"
#include "interface/error.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
#include <iterator>
#include <nlohmann/json.hpp>

namespace fmha950::harness {

struct DeviceTimingsOptions {
  std::vector<std::string> files;
  std::string kernel = "*";
  bool json = false;
};

DeviceTimingsCommand::DeviceTimingsCommand(Command device)
    : command_(device.command("timings", "What the cycle model says of a program's launches, of files of "
                                         "FMHA950_TIMING_REPORT (docs/timing.md)")),
      options_(std::make_shared<DeviceTimingsOptions>()) {
  command_.option("files", options_->files, "As FMHA950_TIMING_REPORT named them").required();
  command_.option("--kernel", options_->kernel, "Kernels of such a name alone, with * and ? as in a shell")
      .show_default();
  command_.flag("--json", options_->json, "A line of JSON for each launch");
}

void DeviceTimingsCommand::run() const {
  std::vector<LaunchTiming> timings;
  bool is_empty = true;
  for (const std::string& file : options_->files) {
    LaunchTimings read = read_launch_timings(file);
    is_empty &= read.timed.empty();
    for (LaunchTiming& timing : read.timed)
      if (fnmatch(options_->kernel.c_str(), timing.launch().kernel.c_str(), 0) == 0)
        timings.push_back(std::move(timing));
    if (read.untimed > 0)
      fmt::print(stderr, "note: {}: {} launches have no time: nothing of chiplet 0 was followed\n", file,
                 read.untimed);
    if (read.cut) fmt::print(stderr, "note: {}: its last line is cut, and left out\n", file);
  }
  if (is_empty)
    throw InvalidInput("files", options_->files.front(),
                       "must tell of a launch that was timed: there is none");
  if (timings.empty())
    throw InvalidInput(
        "--kernel", options_->kernel,
        "must be the name of a kernel that was launched: there is no such launch in the files");
  if (!options_->json) return print_launch_timings(timings, stdout);
  for (const LaunchTiming& timing : timings) fmt::print("{}\n", to_json(timing).dump());
}

} // namespace fmha950::harness
