#include "harness/cure/mutant_cures.hpp"

#include "harness/cure/all_subjects.hpp"
#include "harness/cure/in_parts.hpp"
#include "harness/cure/mutant_draw.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/mutation/ledger.hpp"
#include "harness/probe/schedule_sweep.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <sstream>

namespace fmha950::harness::cure {
namespace {

constexpr size_t schedules_of_proof = 6, problems_of_proof = 4;

std::vector<std::string> ids_of(const std::string& mutants) {
  std::vector<std::string> ids;
  std::istringstream list(mutants);
  for (std::string id; std::getline(list, id, ',');) ids.push_back(id);
  return ids;
}

// The first problem on which each of these has a report of severity error.
std::optional<size_t> shown_by_all(const std::vector<Patient*>& patients) {
  const std::string schedule = mutation_schedules(1).front();
  const auto shows = [&](Patient* patient, size_t problem) {
    return !patient->observe({schedule, problem}, patient->base(), Trust::all).errors().empty();
  };
  for (size_t problem = 0; problem < patients.front()->problems(); ++problem)
    if (std::ranges::all_of(patients, [&](Patient* patient) { return shows(patient, problem); }))
      return problem;
  return {};
}

// The given problem under all schedules; others under the first one.
std::vector<Condition> conditions_of(const Subject& subject, size_t shows) {
  const auto schedules = mutation_schedules(schedules_of_proof);
  std::vector<Condition> conditions;
  for (const std::string& schedule : schedules) conditions.push_back({schedule, shows});
  for (size_t problem = 0;
       problem < subject.problems() && conditions.size() < schedules.size() + problems_of_proof - 1;
       ++problem)
    if (problem != shows) conditions.push_back({schedules.front(), problem});
  return conditions;
}

void cure_one(Subject& subject, const SearchLimits& limits, MutantCure& of) {
  set_judging_options(isa_budget);
  SubjectPatient patient(subject, subject.kernel(), of.mutant);
  std::vector<Patient*> each = {&patient};
  std::deque<SubjectPatient> alone; // of a pair, which two faults make
  if (const auto ids = ids_of(of.mutant); ids.size() > 1) {
    each.clear();
    for (const std::string& id : ids) each.push_back(&alone.emplace_back(subject, subject.kernel(), id));
  }
  const std::optional<size_t> shows = shown_by_all(each);
  if (!shows) {
    of.verdict = "no error";
    return;
  }
  const Fault fault = fault_of(patient, conditions_of(subject, *shows));
  if (fault.errors.empty()) {
    of.verdict = "no error";
    return;
  }
  const Cure cure = find_cure(patient, fault, limits);
  of.verdict = cure.verdict == Cure::Verdict::no_order ? no_order_fault : name_of(cure.verdict);
  of.change = changes(patient.kernel().name, "", cure.protections);
  of.places = changes_in(cure.protections);
  of.pairs = cure.pairs;
  of.ordered = cure.ordered;
  of.executions = patient.executions();
  of.objection = first_line(cure.proof.objection);
  if (cure.verdict != Cure::Verdict::cured) return;
  of.clocks = patient.clocks(fault.showing().front().problem, ""); // as find_cure measures
  of.clocks_cured = cure.clocks_cured;
}

std::string work(const std::vector<MutantCure>& all, const SearchLimits& limits, const WorkerShare& share) {
  const auto subjects = all_subjects();
  std::string lines;
  for (size_t i = share.worker; i < all.size(); i += share.count) {
    MutantCure cure = all[i];
    if (const auto subject = subjects.find(cure.subject); subject != subjects.end())
      cure_one(*subject->second, limits, cure);
    else
      cure.verdict = "not seen";
    lines += to_line(cure) + "\n";
    share.did_one();
  }
  return lines;
}

} // namespace

std::string MutantCure::kind() const {
  if (mutant.find(',') != mutant.npos) return "pair";
  if (mutant.find("+0x") == mutant.npos) return "source";
  const std::string change = mutant.substr(mutant.rfind(':') + 1);
  return change.substr(0, change.find_first_of("+-"));
}

bool MutantCure::is_within(double part) const { return clocks_cured <= clocks * (1 + part); }

namespace {

std::vector<MutantCure> cure_drawn(const MutantCureOptions& options, size_t most,
                                   const std::vector<MutantCure>& known) {
  std::vector<MutantCure> all = drawn_mutants(options.filter, most, options.pairs);
  std::map<std::string, std::string> code; // by subject
  for (MutantCure& each : all) {
    const auto [digest, is_new] = code.try_emplace(each.subject);
    if (is_new) digest->second = digest_of_code(each.subject);
    each.code = digest->second;
  }
  const auto judge = [&](const std::vector<MutantCure>& some, const WorkerShare& share) {
    return work(some, options.limits, share);
  };
  return judged_in_parts(all, known, "cures of mutants", judge, from_line, options.done);
}

} // namespace

// Of pairs some are none: no problem shows both, or one of them has a warning alone. More are drawn in their place.
std::vector<MutantCure> cure_mutants(const MutantCureOptions& options, const std::vector<MutantCure>& known) {
  require_mutants();
  std::vector<MutantCure> all = cure_drawn(options, options.most, known);
  for (size_t drawn = options.most; options.pairs && options.most > 0 && all.size() == drawn;) {
    const auto findings = static_cast<size_t>(
        std::ranges::count_if(all, [](const MutantCure& cure) { return cure.verdict != "no error"; }));
    if (findings >= options.most) break;
    drawn += options.most - findings;
    std::vector<MutantCure> judged = known;
    judged.insert(judged.end(), all.begin(), all.end());
    all = cure_drawn(options, drawn, judged);
  }
  return all;
}

} // namespace fmha950::harness::cure
