#include "harness/cure/program.hpp"

#include "harness/device/embedded_device.hpp"
#include "harness/perf/launch_timings.hpp"
#include "interface/error.hpp"
#include "interface/temporary_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>

namespace fmha950::harness::cure {
namespace {

// "", or what would have to be otherwise with a program that ended like this, by its reports of class `runaway`.
std::string complaint(const ProgramRun& run, int seconds) {
  if (!run.end.in_time) return fmt::format("must end by itself within {} s, and does not", seconds);
  if (!run.seen.reports.empty())
    return fmt::format("must have no kernel that does not end: {} executes more instructions than "
                       "FMHA950_BUDGET allows",
                       run.seen.reports.front().kernel);
  if (run.end.exit_code != 0)
    return fmt::format("must end with exit code 0, not {}: {}", run.end.exit_code, run.end.last_words);
  return {};
}

} // namespace

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<HazardReport> reports_in(const std::filesystem::path& file) {
  std::vector<HazardReport> reports;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    std::ranges::move(pairs_of_finding(line), std::back_inserter(reports));
  return reports;
}

ProgramRun Program::run(const std::vector<std::string>& environment) const {
  const TemporaryFolder folder("cure");
  const auto report = folder.path() / "report.jsonl", output = folder.path() / "output";
  const char* libraries = std::getenv("LD_LIBRARY_PATH");
  std::vector<std::string> words = {
      "/usr/bin/env",
      "FMHA950_QUIET=1",
      "FMHA950_CURE=0",
      "FMHA950_ACCEPTED=told",
      "FMHA950_REPORT=" + report.string(),
      fmt::format("LD_LIBRARY_PATH={}:{}", embedded_device_folder().string(), libraries ? libraries : "")};
  words.insert(words.end(), environment.begin(), environment.end());
  words.insert(words.end(), command_.begin(), command_.end());
  external::ProgramEnd end = external::run_program(words, ".", seconds_, output.string());
  if (!end.started) throw InvalidInput("program", command_.front(), "must be a program: " + end.last_words);
  Ran seen;
  if (!end.in_time) seen.fault = fmt::format("did not end within {} s", seconds_);
  seen.reports = reports_in(report);
  const std::string text =
      fmt::format("{}exit code {}", is_repeated_ ? text_of_file(output) : "", end.exit_code);
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  seen.outputs.assign(bytes, bytes + text.size());
  return {std::move(seen), std::move(end)};
}

void Program::compare_two_runs(const std::string& schedule) {
  const std::vector<std::string> environment = {"FMHA950_CHECK=runaway", "FMHA950_SCHEDULE=" + schedule};
  const ProgramRun first = run(environment);
  if (const std::string wrong = complaint(first, seconds_); !wrong.empty())
    throw InvalidInput("program", name(), wrong);
  is_repeated_ = run(environment).seen.outputs == first.seen.outputs;
}

double Program::clocks(const std::string& kernel, const std::string& changes) const {
  const TemporaryFolder folder("cure");
  const ProgramRun ran = run({"FMHA950_CHECK=none", "FMHA950_SCHEDULE=eager", "FMHA950_MUTANT=" + changes,
                              "FMHA950_TIMING=samples,kernel=" + kernel,
                              "FMHA950_TIMING_REPORT=" + (folder.path() / "%p.jsonl").string()});
  if (!ran.end.in_time || ran.end.exit_code != 0) return 0;
  double clocks = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder.path()))
    for (const LaunchTiming& timing : read_launch_timings(file.path().string()).timed)
      if (timing.launch().kernel == kernel) clocks += timing.launch().clocks;
  return clocks;
}

std::string Program::name() const { return fmt::format("{}", fmt::join(command_, " ")); }

} // namespace fmha950::harness::cure
