// Each copy of this process judges its share of the mutants and of the unmutated kernels, and answers in lines of JSON.
#include "harness/mutation/mutation_run.hpp"

#include "harness/cases/name_filter.hpp"
#include "harness/mutation/device_workers.hpp"
#include "harness/mutation/ledger_pages.hpp"
#include "harness/mutation/source_judge.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace fmha950::harness {

namespace {

std::vector<std::unique_ptr<Subject>> all_subjects() {
  auto subjects = corpus_subjects();
  std::ranges::move(implementation_subjects(), std::back_inserter(subjects));
  return subjects;
}

class Choice {
 public:
  explicit Choice(const MutationOptions& options) : filter_(options.filter), pages_(options.pages) {}
  bool has(const std::string& subject, const std::string& mutant) const {
    return (!pages_ || pages_->contains(page_of(subject))) && filter_.finds(subject + " " + mutant);
  }

 private:
  NameFilter filter_;
  const std::optional<std::set<std::string>>& pages_;
};

// How many mutants and unmutated kernels are judged.
size_t chosen(const MutationOptions& options) {
  const Choice choice(options);
  size_t count = 0;
  for (const auto& subject : all_subjects()) {
    count += choice.has(subject->name(), unmutated);
    for (const Mutant& mutant : mutants_of(subject->kernel()))
      count += choice.has(subject->name(), mutant.id);
  }
  for (const SourceMutant& mutant : source_mutants(mutant_folder(), options.pages))
    count += choice.has(mutant.implementation, mutant.name);
  return count;
}

class Worker {
 public:
  Worker(const MutationOptions& options, const WorkerShare& share)
      : options_(options), choice_(options), share_(share),
        schedules_(mutation_schedules(options.schedules)) {}

  std::string work() {
    for (auto& subject : all_subjects()) judge(*subject);
    SourceJudge source_judge(all_probes(), schedules_);
    for (const SourceMutant& mutant : source_mutants(mutant_folder(), options_.pages))
      if (mine(mutant.implementation, mutant.name)) judge(source_judge, mutant);
    for (const Control& control : source_judge.controls()) add(control);
    return answer_;
  }

 private:
  bool mine(const std::string& subject, const std::string& mutant) {
    return choice_.has(subject, mutant) && next_++ % share_.count == share_.worker;
  }
  void add(LedgerEntry entry) {
    entry.number = next_;
    answer_ += to_line(entry) + "\n";
    share_.did_one();
  }
  void add(const Control& control) { answer_ += to_line(control) + "\n"; }

  void judge(Subject& subject) {
    std::optional<IsaJudge> judge; // made when it is needed
    const auto judge_of = [&]() -> IsaJudge& { return judge ? *judge : judge.emplace(subject, schedules_); };
    if (mine(subject.name(), unmutated)) {
      std::optional<Control> control = options_.standing.control(subject);
      if (control)
        control->stands = true;
      else
        control = {subject.name(), schedules_.size(), subject.problems(), judge_of().control(),
                   problems_digest(subject, subject.problems())};
      add(*control);
      share_.did_one();
    }
    const size_t judged = options_.standing.problems_judged(subject);
    for (const Mutant& mutant : mutants_of(subject.kernel()))
      if (mine(subject.name(), mutant.id)) add(entry_of(subject, mutant, judged, judge_of));
  }

  // A kill stands. What nothing noticed is run on the problems that are new, and its proof is asked for again.
  template <class JudgeOf>
  LedgerEntry entry_of(const Subject& subject, const Mutant& mutant, size_t judged, JudgeOf judge_of) {
    LedgerEntry entry{0, subject.name(), mutant.id, mutant.source + ": " + mutant.instruction, {}};
    const Judgement* before =
        judged > 0 ? options_.standing.of_isa_mutant(subject.name(), mutant.id) : nullptr;
    const bool killed = before && before->verdict == MutantVerdict::killed;
    if (!before || before->verdict == MutantVerdict::survived || (killed && mutant.proved)) {
      entry.judgement = judge_of().judge(mutant);
    } else if (killed) {
      entry.judgement = *before;
      entry.stands = true;
    } else if (judged < subject.problems()) {
      entry.judgement = judge_of().judge_from(judged, mutant);
    } else {
      const std::string& reason = before->reason;
      const bool undecided = before->verdict == MutantVerdict::undecided;
      entry.judgement =
          unnoticed(mutant, undecided ? reason.substr(0, reason.find(not_proved)) : no_difference);
      entry.stands = entry.judgement.verdict == before->verdict;
    }
    return entry;
  }

  void judge(SourceJudge& judge, const SourceMutant& mutant) {
    const LedgerEntry* before =
        options_.standing.of_source_mutant(mutant.implementation, mutant.name, mutant.code_object);
    if (!before || before->judgement.verdict == MutantVerdict::survived) return add(judge.judge(mutant));
    LedgerEntry entry = *before;
    entry.stands = true;
    add(std::move(entry));
    for (Control control :
         options_.standing.controls(mutant.implementation)) { // the same from each: only one is kept
      control.stands = true;
      add(control);
    }
  }

  const MutationOptions& options_;
  Choice choice_;
  const WorkerShare& share_;
  std::vector<std::string> schedules_;
  size_t next_ = 0;
  std::string answer_;
};

Ledger collected(const std::vector<std::string>& lines) {
  Ledger ledger;
  for (const std::string& line : lines) add_line(ledger, line);
  std::ranges::sort(ledger.entries, {}, &LedgerEntry::number);
  std::ranges::sort(ledger.controls, {}, &Control::subject);
  return ledger;
}

} // namespace

Ledger judge_mutants(const MutationOptions& options) {
  const size_t count = chosen(options);
  if (count == 0)
    throw InvalidInput("filter", options.filter,
                       "matches no mutant: it is searched in \"code object/kernel mutant\" and "
                       "\"implementation mutant\" (probe --ledger NAME lists them)");
  return collected(lines_of_workers(count, "mutants judged",
                                    [&](const WorkerShare& share) { return Worker(options, share).work(); }));
}

} // namespace fmha950::harness
