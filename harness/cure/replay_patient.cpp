#include "harness/cure/replay_patient.hpp"

#include "harness/cure/program.hpp"
#include "harness/perf/launch_timings.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>

namespace fmha950::harness::cure {

std::string ReplayPatient::problem(size_t index) const {
  return fmt::format("launch {} of the program", launches_[index]->number());
}

std::string ReplayPatient::judged() const {
  return fmt::format("bits equal under all schedules, not judged: {} launch{} of the program, made again",
                     launches_.size(), launches_.size() == 1 ? "" : "es");
}

Ran ReplayPatient::run(const Condition& condition, const std::string& changes, Trust trust) {
  const TemporaryFolder folder("cure");
  const auto report = folder.path() / "report.jsonl";
  const auto begun = std::chrono::steady_clock::now();
  const KeptLaunch::End end = launches_[condition.problem]->replay(
      {"check=all", "schedule=" + condition.schedule, "mutant=" + changes, "doubt=" + doubt(trust),
       "report=" + report.string()},
      seconds_for(changes));
  if (changes.empty())
    longest_ =
        std::max(longest_, std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
  Ran seen;
  seen.fault = end.failure;
  seen.reports = reports_in(report);
  const auto* bytes = reinterpret_cast<const std::byte*>(end.digest.data());
  seen.outputs.assign(bytes, bytes + end.digest.size());
  return seen;
}

// A wave that polls for what a change keeps from coming would poll to the end of its budget of instructions.
int ReplayPatient::seconds_for(const std::string& changes) const {
  constexpr double least = 3, factor = 4;
  if (changes.empty()) return seconds_;
  return static_cast<int>(std::clamp(factor * longest_, least, std::max<double>(least, seconds_)));
}

double ReplayPatient::clocks(size_t problem, const std::string& changes) {
  const TemporaryFolder folder("cure");
  const auto report = folder.path() / "timings.jsonl";
  const KeptLaunch::End end =
      launches_[problem]->replay({"check=none", "schedule=eager", "mutant=" + changes, "doubt=0",
                                  "timing=samples", "timing_report=" + report.string()},
                                 seconds_);
  if (!end.failure.empty()) return 0;
  double clocks = 0;
  for (const LaunchTiming& timing : read_launch_timings(report.string()).timed)
    clocks += timing.launch().clocks;
  return clocks;
}

} // namespace fmha950::harness::cure
