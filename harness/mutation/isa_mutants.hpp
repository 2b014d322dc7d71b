#pragma once
// ISA mutants, judged: each kernel of a subject with one protection removed by the device, run on the
// subject's problems under many schedules with all hazard checks.

#include "harness/mutation/mutant.hpp"
#include "harness/mutation/subject.hpp"

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fmha950::harness {

// Instructions of a wave: those of the subjects' execute some ten thousand.
constexpr const char* isa_budget = "1000000";

enum class MutantVerdict { killed, equivalent, undecided, survived };
std::string_view name_of(MutantVerdict verdict);

struct Judgement {
  MutantVerdict verdict = MutantVerdict::undecided;
  std::string reason;            // what killed it, or why it counts as what it is
  std::string schedule, problem; // under which it was killed, or first differed
};

// Of a mutant that nothing noticed: equivalent if its code proves it, else undecided, with `why` before what is missing.
constexpr std::string_view not_proved = ", but not proved: ";
constexpr const char* no_difference = "no difference and no report";
Judgement unnoticed(const Mutant& mutant, const std::string& why);

class IsaJudge {
 public:
  // Sets the device's options. Throws DeviceError when the unmutated kernel does not run.
  IsaJudge(Subject& subject, std::vector<std::string> schedules);

  // "" or how the unmutated kernel fails: a report, bits that differ between schedules, or inaccuracy.
  std::string control();
  // Stops at the first kill, which counts only if the unmutated kernel is sound under the same conditions. What nothing
  // notices is equivalent if its code proves it, else undecided; either only if some problem executes the mutated place.
  Judgement judge(const Mutant& mutant);
  // The same of a mutant that nothing noticed on the problems before `first`, although one of them came to its place.
  Judgement judge_from(size_t first, const Mutant& mutant);

 private:
  struct Observation;
  Observation observe(const std::string& schedule, size_t problem);
  std::string kill(const Mutant& mutant, size_t problem, const Observation& seen);
  std::string control(const std::string& schedule, size_t problem);
  Judgement explore(const Mutant& mutant, size_t first);
  Judgement confirmed(const Mutant& mutant, Judgement result);
  bool executes(const Mutant& mutant);

  Subject& subject_;
  std::vector<std::string> schedules_;
  std::vector<Outputs> expected_;                   // of the unmutated kernel, by problem
  std::set<std::pair<std::string, size_t>> passed_; // controls: schedule and problem
};

} // namespace fmha950::harness
