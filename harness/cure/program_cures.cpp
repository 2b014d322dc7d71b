#include "harness/cure/program_cures.hpp"

#include "harness/cure/need.hpp"
#include "harness/cure/program.hpp"
#include "harness/cure/replay_patient.hpp"
#include "harness/mutation/device_workers.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>

namespace fmha950::harness::cure {
namespace {

using nlohmann::json;

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
std::vector<hip::Kernel> kernels_of(const Program& program, std::vector<std::string> environment, Ran& seen) {
  const TemporaryFolder folder("cure");
  environment.push_back("FMHA950_LAUNCHES=" + folder.path().string());
  seen = program.run(environment).seen;
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

// "", or why the launches of a kernel cannot be made again: the program is run anew then.
std::string why_not_replayed(const std::vector<const KeptLaunch*>& launches, const std::string& schedule,
                             int seconds) {
  if (launches.empty()) return "none was kept";
  for (const KeptLaunch* launch : launches) {
    if (!launch->why_not().empty()) return launch->why_not();
    const KeptLaunch::End end = launch->replay({"check=runaway", "schedule=" + schedule, "report="}, seconds);
    if (!end.failure.empty()) return fmt::format("launch {}: {}", launch->number(), end.failure);
  }
  return {};
}

bool has_errors(const std::vector<HazardReport>& reports, const std::string& kernel) {
  return std::ranges::any_of(reports, [&](const HazardReport& report) {
    return report.kernel == kernel && report.severity == "error" && !report.accepted;
  });
}

// What the program's own run showed of a kernel and its launches, made again, do not: the host's reads are not among them. A
// finding for each cause.
template <class HasSeen>
std::vector<CuredFinding> unseen(const std::vector<HazardReport>& reports, const std::string& kernel,
                                 const HasSeen& has_seen) {
  std::map<std::string, CuredFinding> by_cause;
  for (const HazardReport& report : reports) {
    if (report.kernel != kernel || report.severity != "error" || report.accepted || has_seen(pair_of(report)))
      continue;
    CuredFinding& finding = by_cause[json::parse(report.json).value("cause", "")];
    finding.kernel = kernel;
    if (finding.cure.pairs++ == 0) finding.report = report;
    finding.cure.verdict = need_of(report) ? Cure::Verdict::not_cured : Cure::Verdict::no_order;
    finding.cure.proof.objection =
        "its launches, made again, do not show it: --rerun runs all of the program";
  }
  std::vector<CuredFinding> findings;
  for (auto& [cause, finding] : by_cause) findings.push_back(std::move(finding));
  return findings;
}

std::vector<Condition> conditions_of(const Patient& patient, const std::vector<std::string>& schedules) {
  std::vector<Condition> conditions;
  for (size_t problem = 0; problem < patient.problems(); ++problem)
    for (const std::string& schedule : schedules) conditions.push_back({schedule, problem});
  return conditions;
}

} // namespace

std::vector<CuredFinding> cure_program(const std::vector<std::string>& command,
                                       const ProgramCureOptions& options) {
  require_no_mutant();
  require_mutants();
  Program program(command, options.seconds_of_run);
  program.compare_two_runs(options.schedules.front());
  KeptLaunches kept;
  std::vector<std::string> environment = {"FMHA950_CHECK=all",
                                          "FMHA950_SCHEDULE=" + options.schedules.front()};
  if (!options.rerun) environment.push_back(kept.option());
  Ran seen;
  const std::vector<hip::Kernel> kernels = kernels_of(program, environment, seen);
  kept.take();
  std::vector<CuredFinding> findings;
  const auto cure = [&](Patient& patient) {
    std::vector<CuredFinding> found =
        cure_findings(patient, conditions_of(patient, options.schedules), options.limits);
    const bool is_any = !found.empty();
    std::ranges::move(found, std::back_inserter(findings));
    return is_any;
  };
  const auto tell_unseen = [&](const std::string& kernel, const auto& has_seen) {
    std::ranges::move(unseen(seen.reports, kernel, has_seen), std::back_inserter(findings));
  };
  for (const hip::Kernel& kernel : kernels) {
    if (is_interrupted(findings)) break;
    std::string why_not = "it is asked for";
    if (!options.rerun) {
      const auto launches = kept.of(kernel.name);
      why_not = why_not_replayed(launches, options.schedules.front(), options.seconds_to_look);
      if (why_not.empty()) {
        ReplayPatient patient(kernel, launches, options.seconds_of_run);
        if (cure(patient) || !has_errors(seen.reports, kernel.name)) {
          tell_unseen(kernel.name, [&](const Pair& pair) { return patient.has_seen(pair); });
          continue;
        }
        why_not = fmt::format("what the checks find is not in its first {} launches", launches.size());
      }
      if (options.told)
        options.told(fmt::format("{}: the program is run anew for each try: {}", kernel.name, why_not));
    }
    ProgramPatient patient(program, kernel);
    cure(patient);
  }
  return findings;
}

} // namespace fmha950::harness::cure
