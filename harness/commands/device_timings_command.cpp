#include "harness/commands/commands.hpp"

#include "harness/perf/launch_timings.hpp"
#include "interface/error.hpp"

#include <fmt/format.h>
#include <fnmatch.h>
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
  std::vector<LaunchTiming> timings = read_launch_timings(options_->files);
  std::erase_if(timings, [&](const LaunchTiming& timing) {
    return fnmatch(options_->kernel.c_str(), timing.launch().kernel.c_str(), 0) != 0;
  });
  if (timings.empty())
    throw InvalidInput(
        "--kernel", options_->kernel,
        "must be the name of a kernel that was launched: there is no such launch in the files");
  if (!options_->json) return print_launch_timings(timings, stdout);
  for (const LaunchTiming& timing : timings) fmt::print("{}\n", to_json(timing).dump());
}

} // namespace fmha950::harness
