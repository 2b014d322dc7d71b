#include "harness/mutation/isa_mutants.hpp"

#include "harness/device/embedded_device.hpp"
#include "interface/error.hpp"

#include <fmt/format.h>
#include <span>

namespace fmha950::harness {

namespace {

// The mutant in force for a scope.
class InForce {
 public:
  explicit InForce(const std::string& id) { set_option("mutant", id); }
  ~InForce() { hip::api().SetOption("mutant", ""); }
};

} // namespace

std::string_view name_of(MutantVerdict verdict) {
  static constexpr std::string_view names[] = {"killed", "equivalent", "undecided", "survived"};
  return names[static_cast<size_t>(verdict)];
}

struct IsaJudge::Observation {
  Outputs outputs;
  std::string fault; // "" when the launch came to its end
  std::vector<HazardReport> reports;
};

IsaJudge::IsaJudge(Subject& subject, std::vector<std::string> schedules)
    : subject_(subject), schedules_(std::move(schedules)) {
  set_judging_options(isa_budget);
  set_option("schedule", schedules_.front());
  take_hazards();
  for (size_t problem = 0; problem < subject.problems(); ++problem) expected_.push_back(subject.run(problem));
  take_hazards(); // control() runs the same again
}

IsaJudge::Observation IsaJudge::observe(const std::string& schedule, size_t problem) {
  Observation seen;
  set_option("schedule", schedule);
  try {
    seen.outputs = subject_.run(problem);
  } catch (const DeviceError&) {
    seen.fault = clear_fault();
    if (seen.fault.empty()) throw; // no deed of the kernel's
  }
  seen.reports = take_hazards();
  // A mutant without num_records has a descriptor that reaches past the allocation, whatever the kernel does with it.
  std::erase_if(seen.reports, [](const HazardReport& report) { return report.hazard == "errata"; });
  return seen;
}

std::string IsaJudge::control(const std::string& schedule, size_t problem) {
  if (passed_.contains({schedule, problem})) return {};
  const Observation seen = observe(schedule, problem);
  const auto where = fmt::format(" ({}, {})", schedule, subject_.problem(problem));
  if (!seen.fault.empty()) return seen.fault + where;
  if (!seen.reports.empty()) return text_of(seen.reports.front()) + where;
  if (seen.outputs != expected_[problem]) return "other bits than under " + schedules_.front() + where;
  passed_.emplace(schedule, problem);
  return {};
}

std::string IsaJudge::control() {
  for (const std::string& schedule : schedules_)
    for (size_t problem = 0; problem < subject_.problems(); ++problem)
      if (std::string failure = control(schedule, problem); !failure.empty()) return failure;
  for (size_t problem = 0; problem < subject_.problems(); ++problem)
    if (std::string wrong = subject_.wrong(problem, expected_[problem]); !wrong.empty()) return wrong;
  return {};
}

std::string IsaJudge::kill(const Mutant& mutant, size_t problem, const Observation& seen) {
  for (const HazardReport& report : seen.reports)
    if (convicts(report, mutant)) return text_of(report);
  if (mutant.change != "num_records") return {};
  if (!seen.fault.empty()) return seen.fault;
  if (seen.outputs == expected_[problem]) return {};
  try {
    return subject_.wrong(problem, seen.outputs);
  } catch (const DeviceError&) {
    const std::string fault = clear_fault();
    if (fault.empty()) throw;
    return fault;
  }
}

// Whether the mutant's place is executed: a trap there faults.
bool IsaJudge::executes(const Mutant& mutant) {
  const InForce in_force(mutant.trap());
  bool executed = false;
  for (size_t problem = 0; problem < subject_.problems() && !executed; ++problem)
    executed = !observe(schedules_.front(), problem).fault.empty();
  if (executed) subject_.renew();
  return executed;
}

Judgement IsaJudge::explore(const Mutant& mutant, size_t first) {
  const InForce in_force(mutant.id);
  Judgement result;
  // Wait states lie within a wave's own stream of instructions, which is the same under every schedule. On problems that
  // were added, what is proved is only run to test the proof.
  const bool once = mutant.change == "nop-drop" || (first > 0 && mutant.proved);
  const auto schedules = std::span(schedules_).first(once ? 1 : schedules_.size());
  result.reason = fmt::format("no difference under {} schedules and no report", schedules.size());
  for (const std::string& schedule : schedules)
    for (size_t problem = first; problem < subject_.problems(); ++problem) {
      Observation seen = observe(schedule, problem);
      std::erase_if(seen.reports, only_staggers);
      if (std::string by = kill(mutant, problem, seen); !by.empty())
        return {MutantVerdict::killed, std::move(by), schedule, subject_.problem(problem)};
      const bool noticed = !seen.fault.empty() || !seen.reports.empty() || seen.outputs != expected_[problem];
      if (!noticed || result.verdict == MutantVerdict::survived) continue;
      const std::string what = !seen.reports.empty() ? "only " + text_of(seen.reports.front())
                               : !seen.fault.empty() ? seen.fault
                                                     : "other outputs, and no report";
      result = {MutantVerdict::survived, what, schedule, subject_.problem(problem)};
    }
  return result;
}

Judgement unnoticed(const Mutant& mutant, const std::string& why) {
  if (mutant.proved) return {MutantVerdict::equivalent, "proved: " + mutant.proof, "", ""};
  return {MutantVerdict::undecided, why + std::string(not_proved) + mutant.proof, "", ""};
}

Judgement IsaJudge::judge(const Mutant& mutant) {
  Judgement result = explore(mutant, 0);
  if (result.verdict == MutantVerdict::undecided && !executes(mutant))
    return {MutantVerdict::survived, "not executed: no problem of the list comes to it", "", ""};
  return confirmed(mutant, std::move(result));
}

Judgement IsaJudge::judge_from(size_t first, const Mutant& mutant) {
  return confirmed(mutant, explore(mutant, first));
}

Judgement IsaJudge::confirmed(const Mutant& mutant, Judgement result) {
  if (result.verdict == MutantVerdict::undecided) return unnoticed(mutant, result.reason);
  subject_.renew();
  if (result.verdict != MutantVerdict::killed) return result;
  if (mutant.proved)
    return {MutantVerdict::survived, "proved equivalent, yet " + result.reason, result.schedule,
            result.problem};
  for (size_t problem = 0; problem < subject_.problems(); ++problem)
    if (subject_.problem(problem) == result.problem)
      if (const std::string failure = control(result.schedule, problem); !failure.empty())
        return {MutantVerdict::survived, "the unmutated kernel fails too: " + failure, result.schedule,
                result.problem};
  return result;
}

} // namespace fmha950::harness
