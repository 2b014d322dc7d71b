#include "harness/cure/program_cures.hpp"

#include "harness/device/embedded_device.hpp"
#include "harness/device/hazards.hpp"
#include "harness/external/child_program.hpp"
#include "harness/mutation/device_workers.hpp"
#include "harness/perf/launch_timings.hpp"
#include "interface/error.hpp"
#include "interface/temporary_folder.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace fmha950::harness::cure {
namespace {

using nlohmann::json;

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// Every pair of the findings in a report file. Which instructions they are, the kernel's code says (with_instructions).
std::vector<HazardReport> reports_in(const std::filesystem::path& file) {
  std::vector<HazardReport> reports;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    std::ranges::move(pairs_of_finding(line), std::back_inserter(reports));
  return reports;
}

struct ProgramRun {
  Ran seen;
  external::ProgramEnd end;
};

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

class Program {
 public:
  Program(std::vector<std::string> command, int seconds_of_run)
      : command_(std::move(command)), seconds_(seconds_of_run) {}

  ProgramRun run(const std::vector<std::string>& environment) const {
    const TemporaryFolder folder("cure");
    const auto report = folder.path() / "report.jsonl", output = folder.path() / "output";
    const char* libraries = std::getenv("LD_LIBRARY_PATH");
    std::vector<std::string> words = {
        "/usr/bin/env", "FMHA950_QUIET=1", "FMHA950_CURE=0", "FMHA950_REPORT=" + report.string(),
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
  // Finds out whether two runs write the same.
  void compare_two_runs(const std::string& schedule) {
    const std::vector<std::string> environment = {"FMHA950_CHECK=runaway", "FMHA950_SCHEDULE=" + schedule};
    const ProgramRun first = run(environment);
    if (const std::string wrong = complaint(first, seconds_); !wrong.empty())
      throw InvalidInput("program", name(), wrong);
    is_repeated_ = run(environment).seen.outputs == first.seen.outputs;
  }
  // Of all launches of the kernel, in all processes that the program starts; 0: not known.
  double clocks(const std::string& kernel, const std::string& changes) const {
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
  bool is_repeated() const { return is_repeated_; }
  std::string name() const { return fmt::format("{}", fmt::join(command_, " ")); }

 private:
  std::vector<std::string> command_;
  int seconds_;
  bool is_repeated_ = true;
};

class ProgramPatient final : public Patient {
 public:
  ProgramPatient(const Program& program, hip::Kernel kernel)
      : Patient(std::move(kernel), ""), program_(program) {}
  size_t problems() const override { return 1; }
  std::string problem(size_t) const override { return program_.name(); }
  std::string judged() const override {
    return program_.is_repeated()
               ? "what the program writes and its exit code are equal under all schedules"
               : "exit code 0 under all schedules; the program writes different things each time";
  }
  double clocks(size_t, const std::string& changes) override {
    count_run();
    return program_.clocks(kernel().name, changes);
  }

 private:
  std::string judge(const Condition&, const std::string&, const Outputs& outputs) override {
    const std::string_view text(reinterpret_cast<const char*>(outputs.data()), outputs.size());
    return text.ends_with("exit code 0") ? "" : "the program ended with another exit code than 0";
  }
  Ran run(const Condition& condition, const std::string& changes, Trust trust) override {
    return program_
        .run({"FMHA950_CHECK=all", "FMHA950_SCHEDULE=" + condition.schedule, "FMHA950_MUTANT=" + changes,
              "FMHA950_DOUBT=" + doubt(trust)})
        .seen;
  }
  const Program& program_;
};

// The search sets it itself: with the user's, another kernel would be judged than the one that runs.
void require_no_mutant() {
  const char* mutant = std::getenv("FMHA950_MUTANT");
  if (mutant && *mutant)
    throw InvalidInput("FMHA950_MUTANT", mutant, "must not be set: the search of cures sets it for each run");
}

// The kernels that the program launches, from the code objects that it loads.
std::vector<hip::Kernel> kernels_of(const Program& program) {
  const TemporaryFolder folder("cure");
  program.run({"FMHA950_LAUNCHES=" + folder.path().string()});
  std::vector<hip::Kernel> kernels;
  std::map<std::string, std::string> objects; // by kernel
  std::ifstream lines(folder.path() / "launches.jsonl");
  for (std::string line; std::getline(lines, line);) {
    const json launch = json::parse(line);
    const std::string name = launch.at("kernel"), file = launch.at("object");
    const auto [known, is_new] = objects.try_emplace(name, file);
    if (known->second != file)
      throw InvalidInput("program", program.name(),
                         fmt::format("must have no two code objects with a kernel {}: changes to code name "
                                     "their kernel only",
                                     name));
    if (!is_new) continue;
    const std::string object = text_of_file(folder.path() / file);
    hip::Module module = nullptr;
    hip::Kernel kernel{nullptr, name};
    hip::check(hip::api().ModuleLoadData(&module, object.data()), "hipModuleLoadData");
    hip::check(hip::api().ModuleGetFunction(&kernel.function, module, name.c_str()), "hipModuleGetFunction");
    kernels.push_back(std::move(kernel));
  }
  if (kernels.empty())
    throw InvalidInput("program", program.name(), "must launch a kernel through HIP's runtime");
  return kernels;
}

} // namespace

std::vector<CuredFinding> cure_program(const std::vector<std::string>& command,
                                       const ProgramCureOptions& options) {
  require_no_mutant();
  require_mutants();
  Program program(command, options.seconds_of_run);
  program.compare_two_runs(options.schedules.front());
  std::vector<Condition> conditions;
  for (const std::string& schedule : options.schedules) conditions.push_back({schedule, 0});
  std::vector<CuredFinding> findings;
  for (const hip::Kernel& kernel : kernels_of(program)) {
    ProgramPatient patient(program, kernel);
    std::ranges::move(cure_findings(patient, conditions, options.limits), std::back_inserter(findings));
    if (is_interrupted(findings)) break;
  }
  return findings;
}

} // namespace fmha950::harness::cure
