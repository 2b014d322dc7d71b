#include "harness/cure/inert_waits.hpp"

#include "harness/cure/all_subjects.hpp"
#include "harness/cure/in_parts.hpp"
#include "harness/cure/patient.hpp"
#include "harness/cure/ways.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/mutation/isa_mutants.hpp"
#include "interface/error.hpp"
#include "numerics/digest.hpp"
#include "workload/data_directory.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace fmha950::harness::cure {
namespace {

constexpr const char* seed = "30"; // any number would do: this is the issue's
constexpr const char* inert =
    "s_waitcnt vmcnt(63) lgkmcnt(15)"; // the largest counts: machine_gfx950.md section 1.1
constexpr double least_limit = 0.01, percentile = 0.95;

uint64_t number_drawn(const std::string& name) {
  numerics::Digest digest;
  digest.add(seed + (" " + name));
  return std::stoull(digest.text(), nullptr, 16);
}

std::string measure(const std::vector<InertWait>& waits, const WorkerShare& share) {
  const auto subjects = all_subjects();
  std::map<std::pair<std::string, std::string>, double> before; // by subject and problem
  std::string lines;
  for (size_t i = share.worker; i < waits.size(); i += share.count) {
    InertWait wait = waits[i];
    Subject& subject = *subjects.at(wait.subject);
    set_judging_options(isa_budget);
    SubjectPatient patient(subject, subject.kernel(), "");
    size_t problem = 0;
    while (subject.problem(problem) != wait.problem) ++problem;
    const auto [clocks, is_new] = before.try_emplace({wait.subject, wait.problem});
    if (is_new) clocks->second = patient.clocks(problem, "");
    wait.clocks = clocks->second;
    wait.clocks_with = patient.clocks(problem, wait.change);
    lines += to_line(wait) + "\n";
    share.did_one();
  }
  return lines;
}

} // namespace

double InertWait::moved() const { return std::abs(clocks_with / clocks - 1); }

std::vector<InertWait> drawn_inert_waits(size_t count) {
  struct Candidate {
    uint64_t number;
    InertWait wait;
  };
  std::vector<Candidate> all;
  for (const auto& [name, subject] : all_subjects()) {
    const hip::Kernel kernel = subject->kernel();
    const std::string code = digest_of_code(name);
    for (const Place& place : all_places(kernel)) {
      const std::string change = fmt::format("{}:before:{}", place.at.id(kernel.name), inert);
      const std::string problem =
          subject->problem(number_drawn(name + " " + change + " problem") % subject->problems());
      all.push_back({number_drawn(name + " " + change), {name, change, problem, code, 0, 0}});
    }
  }
  std::ranges::sort(all, {}, &Candidate::number);
  if (all.size() > count) all.resize(count);
  std::vector<InertWait> waits;
  for (Candidate& candidate : all) waits.push_back(std::move(candidate.wait));
  std::ranges::sort(waits, {}, [](const InertWait& wait) { return std::tie(wait.subject, wait.change); });
  return waits;
}

std::vector<InertWait> measured_inert_waits(size_t count, const std::vector<InertWait>& known,
                                            const std::function<void(const InertWait&)>& done) {
  require_mutants();
  return judged_in_parts(drawn_inert_waits(count), known, "inert waits", measure, inert_wait_from_line, done);
}

double moved_by_inert_waits(const std::vector<InertWait>& waits) {
  if (waits.empty()) return 0;
  std::vector<double> moved;
  for (const InertWait& wait : waits) moved.push_back(wait.moved());
  std::ranges::sort(moved);
  const auto enough = static_cast<size_t>(std::ceil(percentile * static_cast<double>(moved.size())));
  return moved[enough - 1];
}

double time_limit(const std::vector<InertWait>& waits) {
  return std::max(least_limit, moved_by_inert_waits(waits));
}

std::vector<InertWait> kept_inert_waits() {
  std::vector<InertWait> waits;
  std::ifstream file(workload::data_file("cures/inert.jsonl"));
  for (std::string line; std::getline(file, line);) waits.push_back(inert_wait_from_line(line));
  return waits;
}

std::string text_of(const std::vector<InertWait>& waits) {
  return fmt::format(
      "{:.0f} % of {} inert waits move at most {:.2f} % of the modelled clocks: a cure may cost "
      "{:.2f} %",
      100 * percentile, waits.size(), 100 * moved_by_inert_waits(waits), 100 * time_limit(waits));
}

std::string to_line(const InertWait& wait) {
  return nlohmann::json{{"subject", wait.subject}, {"change", wait.change}, {"problem", wait.problem},
                        {"code", wait.code},       {"clocks", wait.clocks}, {"clocks_with", wait.clocks_with}}
      .dump();
}

InertWait inert_wait_from_line(const std::string& line) {
  try {
    const auto json = nlohmann::json::parse(line);
    InertWait wait{json.at("subject"), json.at("change"), json.at("problem"),
                   json.at("code"),    json.at("clocks"), json.at("clocks_with")};
    if (!(wait.clocks > 0))
      throw InvalidInput("clocks", fmt::format("{}", wait.clocks),
                         "must be more than 0: " + line.substr(0, 60));
    return wait;
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput("output", line.substr(0, 60),
                       fmt::format("must be lines of cure --mutants --inert: {}", error.what()));
  }
}

} // namespace fmha950::harness::cure
