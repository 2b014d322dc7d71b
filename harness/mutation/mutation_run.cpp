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

class Worker {
 public:
  Worker(const MutationOptions& options, size_t worker, size_t count)
      : filter_(options.filter), pages_(options.pages), standing_(options.standing),
        schedules_(mutation_schedules(options.schedules)), worker_(worker), count_(count) {}

  std::string work() {
    auto subjects = corpus_subjects();
    std::ranges::move(implementation_subjects(), std::back_inserter(subjects));
    for (auto& subject : subjects) judge(*subject);
    SourceJudge source_judge(all_probes(), schedules_);
    for (const SourceMutant& mutant : source_mutants())
      if (mine(mutant.implementation, mutant.name)) judge(source_judge, mutant);
    for (const Control& control : source_judge.controls()) add(control);
    return answer_;
  }

 private:
  bool mine(const std::string& subject, const std::string& mutant) {
    return (!pages_ || pages_->contains(page_of(subject))) && filter_.finds(subject + " " + mutant) &&
           next_++ % count_ == worker_;
  }
  void add(LedgerEntry entry) {
    entry.number = next_;
    answer_ += to_line(entry) + "\n";
  }
  void add(const Control& control) { answer_ += to_line(control) + "\n"; }

  void judge(Subject& subject) {
    std::optional<IsaJudge> judge; // made when it is needed
    const auto judge_of = [&]() -> IsaJudge& { return judge ? *judge : judge.emplace(subject, schedules_); };
    if (mine(subject.name(), unmutated)) {
      std::optional<Control> control = standing_.control(subject);
      if (control)
        control->stands = true;
      else
        control = {subject.name(), schedules_.size(), subject.problems(), judge_of().control(),
                   problems_digest(subject, subject.problems())};
      add(*control);
    }
    const size_t judged = standing_.problems_judged(subject);
    for (const Mutant& mutant : mutants_of(subject.kernel()))
      if (mine(subject.name(), mutant.id)) add(entry_of(subject, mutant, judged, judge_of));
  }

  // A kill stands. What nothing noticed is run on the problems that are new, and its proof is asked for again.
  template <class JudgeOf>
  LedgerEntry entry_of(const Subject& subject, const Mutant& mutant, size_t judged, JudgeOf judge_of) {
    LedgerEntry entry{0, subject.name(), mutant.id, mutant.source + ": " + mutant.instruction, {}};
    const Judgement* before = judged > 0 ? standing_.of_isa_mutant(subject.name(), mutant.id) : nullptr;
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
        standing_.of_source_mutant(mutant.implementation, mutant.name, mutant.code_object);
    if (!before || before->judgement.verdict == MutantVerdict::survived) return add(judge.judge(mutant));
    LedgerEntry entry = *before;
    entry.stands = true;
    add(std::move(entry));
    for (Control control :
         standing_.controls(mutant.implementation)) { // the same from each: only one is kept
      control.stands = true;
      add(control);
    }
  }

  NameFilter filter_;
  std::optional<std::set<std::string>> pages_;
  const Standing& standing_;
  std::vector<std::string> schedules_;
  size_t worker_, count_, next_ = 0;
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
  const NameFilter checked(options.filter); // refused here, not in every copy
  Ledger ledger = collected(
      lines_of_workers([&](size_t worker, size_t count) { return Worker(options, worker, count).work(); }));
  if (ledger.entries.empty() && ledger.controls.empty())
    throw InvalidInput("filter", options.filter,
                       "matches no mutant: it is searched in \"code object/kernel mutant\" and "
                       "\"implementation mutant\" (probe --ledger NAME lists them)");
  return ledger;
}

} // namespace fmha950::harness
