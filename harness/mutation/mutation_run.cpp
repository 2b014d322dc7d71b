// Each copy of this process judges its share of the mutants and of the unmutated kernels, and answers in lines of JSON.
#include "harness/mutation/mutation_run.hpp"

#include "harness/cases/case_selection.hpp"
#include "harness/mutation/device_workers.hpp"
#include "harness/mutation/ledger_pages.hpp"
#include "harness/mutation/source_judge.hpp"
#include "harness/output/progress.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "interface/error.hpp"
#include "interface/implementation.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace fmha950::harness {

namespace {

// Mutants of one kernel, and whether it is run unmutated, too.
struct KernelWork {
  std::unique_ptr<Subject> subject;
  bool control = false;
  std::vector<Mutant> mutants;
};

// What is judged. It is found before there are copies of this process: the proofs of mutants take long.
struct Work {
  std::vector<KernelWork> kernels;
  std::vector<SourceMutant> sources;

  size_t size() const {
    size_t count = sources.size();
    for (const KernelWork& kernel : kernels) count += kernel.control + kernel.mutants.size();
    return count;
  }
};

Work chosen(const MutationOptions& options) {
  const NameFilter filter(options.filter);
  const auto finds = [&](const std::string& subject, const std::string& mutant) {
    return filter.finds(subject + " " + mutant);
  };
  auto subjects = corpus_subjects();
  std::ranges::move(implementation_subjects(), std::back_inserter(subjects));
  if (!options.pages) // only those that are named
    std::erase_if(subjects, [](const auto& subject) { return is_external(subject->name()); });
  if (options.pages)
    std::erase_if(subjects,
                  [&](const auto& subject) { return !options.pages->contains(page_of(subject->name())); });
  Work work;
  Progress progress(subjects.size());
  if (!subjects.empty()) progress.begin("proofs of kernels");
  for (auto& subject : subjects) {
    progress.start("proofs of " + subject->name());
    KernelWork kernel{nullptr, finds(subject->name(), unmutated), mutants_of(subject->kernel())};
    std::erase_if(kernel.mutants, [&](const Mutant& mutant) { return !finds(subject->name(), mutant.id); });
    kernel.subject = std::move(subject);
    work.kernels.push_back(std::move(kernel));
    progress.done();
  }
  work.sources = source_mutants(mutant_folder(), options.pages);
  // Variants that tests make have theirs beside the product's, and are in other programs.
  const auto is_here = [](const std::string& name) {
    return std::ranges::any_of(implementations(), [&](const auto& one) { return one->name() == name; });
  };
  std::erase_if(work.sources, [&](const SourceMutant& mutant) {
    return !is_here(mutant.implementation) || !finds(mutant.implementation, mutant.name);
  });
  return work;
}

class Worker {
 public:
  Worker(const Standing& standing, const std::vector<std::string>& schedules, const WorkerShare& share)
      : standing_(standing), schedules_(schedules), share_(share) {}

  std::string judge(Work& work) {
    for (KernelWork& kernel : work.kernels) {
      judge(kernel);
      kernel.subject.reset(); // its tensors are on the device, and all kernels' together are many GiB
    }
    SourceJudge source_judge(all_probes(), schedules_);
    for (const SourceMutant& mutant : work.sources)
      if (mine()) judge(source_judge, mutant);
    for (const Control& control : source_judge.controls()) add(control);
    return answer_;
  }

 private:
  bool mine() { return next_++ % share_.count == share_.worker; }
  void add(LedgerEntry entry) {
    entry.number = next_;
    answer_ += to_line(entry) + "\n";
    share_.did_one();
  }
  void add(const Control& control) { answer_ += to_line(control) + "\n"; }

  void judge(KernelWork& kernel) {
    Subject& subject = *kernel.subject;
    std::optional<IsaJudge> judge; // made when it is needed
    const auto judge_of = [&]() -> IsaJudge& { return judge ? *judge : judge.emplace(subject, schedules_); };
    if (kernel.control && mine()) {
      std::optional<Control> control = standing_.control(subject);
      if (control)
        control->stands = true;
      else
        control = {subject.name(), schedules_.size(), subject.problems(), judge_of().control(),
                   problems_digest(subject, subject.problems())};
      add(*control);
      share_.did_one();
    }
    const size_t judged = standing_.problems_judged(subject);
    for (const Mutant& mutant : kernel.mutants)
      if (mine()) add(entry_of(subject, mutant, judged, judge_of));
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

  const Standing& standing_;
  const std::vector<std::string>& schedules_;
  const WorkerShare& share_;
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
  require_mutants();
  Work work = chosen(options);
  if (work.size() == 0)
    throw InvalidInput("filter", options.filter,
                       "matches no mutant: it is searched in \"code object/kernel mutant\" and "
                       "\"implementation mutant\" (probe --ledger NAME lists them)");
  const auto schedules = mutation_schedules(options.schedules);
  return collected(lines_of_workers(work.size(), "mutants judged", [&](const WorkerShare& share) {
    return Worker(options.standing, schedules, share).judge(work);
  }));
}

} // namespace fmha950::harness
