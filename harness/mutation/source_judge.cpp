#include "harness/mutation/source_judge.hpp"

#include "harness/cases/single_calls.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/device/hazards.hpp"
#include "harness/probe/probe_runner.hpp"
#include "harness/record/digest.hpp"
#include "interface/error.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

AccuracyOptions under(const std::vector<std::string>& schedules) {
  AccuracyOptions options;
  for (const std::string& schedule : schedules)
    options.variations.schedules.push_back(item_of_schedule(schedule));
  return options;
}

} // namespace

SourceJudge::SourceJudge(std::vector<Probe> probes, std::vector<std::string> schedules)
    : probes_(std::move(probes)), schedules_(std::move(schedules)) {}

const std::vector<Probe>& SourceJudge::probes_for(const Implementation& implementation) {
  const auto [asked, fresh] = asked_.try_emplace(std::string(implementation.name()));
  if (fresh)
    for (const Probe& any : probes_)
      if (Probe probe = asked_of(implementation, any); implementation.supports(as_single_call(probe.problem)))
        asked->second.push_back(std::move(probe));
  return asked->second;
}

std::optional<SourceJudge::Failure> SourceJudge::run(const Implementation& implementation, const Probe& probe,
                                                     const std::vector<std::string>& schedules) const {
  const AccuracyOptions options = under(schedules);
  Record record;
  try {
    const Tensors tensors = make_tensors(probe);
    CaseOracle oracle(probe.problem, tensors);
    ProbeRunner(implementation, options).run(probe, tensors, oracle, record);
  } catch (const DeviceError& error) {
    const std::string fault = clear_fault();
    take_hazards();
    return Failure{&probe, !fault.empty(), fault.empty() ? error.what() : fault};
  } catch (const std::exception& error) {
    take_hazards();
    return Failure{&probe, false, error.what()};
  }
  take_hazards();
  const OutcomeKind kind = record.outcome.kind();
  if (kind == OutcomeKind::passed) return std::nullopt;
  return Failure{&probe, kind == OutcomeKind::inaccurate || kind == OutcomeKind::hazard,
                 fmt::format("{}: {}", to_string(kind), record.outcome.reason())};
}

std::optional<SourceJudge::Failure> SourceJudge::first_failure(const Implementation& implementation,
                                                               const SourceMutant& mutant,
                                                               const std::vector<std::string>& schedules) {
  for (const Probe& probe : probes_for(implementation))
    if (concerns(mutant, probe.problem))
      if (auto failure = run(implementation, probe, schedules)) return failure;
  return std::nullopt;
}

const Control& SourceJudge::control(const Implementation& implementation, const Probe& probe,
                                    const std::vector<std::string>& schedules) {
  const std::string subject = fmt::format("{}, probe {}", implementation.name(), probe.name);
  const auto [entry, fresh] = controls_.try_emplace({subject, schedules.size()});
  if (fresh) {
    const auto failure = run(implementation, probe, schedules);
    entry->second = {subject, schedules.size(), 1, failure ? failure->reason : ""};
  }
  return entry->second;
}

std::vector<Control> SourceJudge::controls() const {
  std::vector<Control> all;
  for (const auto& [key, control] : controls_) all.push_back(control);
  return all;
}

Judgement SourceJudge::unnoticed(const SourceMutant& mutant) const {
  const std::string& name = mutant.code_object;
  if (code_digest(name, code_of(mutant)) == code_digest(name, hip::code_object(name)))
    return {MutantVerdict::equivalent, "proved: the same code", "", ""};
  return {MutantVerdict::undecided,
          fmt::format("no probe failed under {} schedules, but its code is another", schedules_.size()), "",
          ""};
}

LedgerEntry SourceJudge::judge(const SourceMutant& mutant) {
  set_judging_options(budget_of_probes);
  take_hazards();
  const Implementation& implementation = find_implementation(mutant.implementation);
  // Most mutants fail under any schedule.
  std::vector<std::string> schedules = {schedules_.front()};
  std::optional<Failure> failure;
  {
    const hip::CodeObjectOverride stands_in(mutant.code_object, code_of(mutant));
    failure = first_failure(implementation, mutant, schedules);
    if (!failure) failure = first_failure(implementation, mutant, schedules = schedules_);
  }
  LedgerEntry entry{
      0, mutant.implementation, mutant.name, mutant.code_object + ": " + mutant.consequence, {}};
  Judgement& judgement = entry.judgement;
  if (!failure) {
    judgement = unnoticed(mutant);
    return entry;
  }
  judgement.verdict = MutantVerdict::survived;
  judgement.problem = failure->probe->name;
  judgement.reason = failure->reason;
  if (!failure->convicts) {
    judgement.reason = "the probe could not be judged: " + failure->reason;
  } else if (const Control& unmutated = control(implementation, *failure->probe, schedules);
             !unmutated.failure.empty()) {
    judgement.reason = "fails without the mutation too: " + unmutated.failure;
  } else {
    judgement.verdict = MutantVerdict::killed;
  }
  return entry;
}

} // namespace fmha950::harness
