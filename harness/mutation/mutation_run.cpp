// Work is dealt out in turn to copies of this process, because the device's options are those of a process.
// Each judges its share of the mutants and of the unmutated kernels, and answers in lines of JSON.
#include "harness/mutation/mutation_run.hpp"

#include "harness/cases/name_filter.hpp"
#include "harness/mutation/ledger_pages.hpp"
#include "harness/mutation/source_judge.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "harness/probe/workers.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <fcntl.h>
#include <iterator>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <unistd.h>

namespace fmha950::harness {

namespace {

constexpr const char* unmutated = "unmutated"; // in place of a mutant's name: the kernel itself
constexpr char failed = '!';                   // begins the answer of a worker that could not go on

class Worker {
 public:
  Worker(const MutationOptions& options, size_t worker, size_t count)
      : filter_(options.filter), pages_(options.pages), schedules_(mutation_schedules(options.schedules)),
        worker_(worker), count_(count) {}

  std::string work() {
    auto subjects = corpus_subjects();
    std::ranges::move(implementation_subjects(), std::back_inserter(subjects));
    for (auto& subject : subjects) judge(*subject);
    SourceJudge source_judge(all_probes(), schedules_);
    for (const SourceMutant& mutant : source_mutants())
      if (mine(mutant.implementation, mutant.name)) add(source_judge.judge(mutant));
    for (const Control& control : source_judge.controls()) answer_ += to_line(control) + "\n";
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
  void judge(Subject& subject) {
    std::optional<IsaJudge> judge; // made when it is needed
    const auto judge_of = [&]() -> IsaJudge& { return judge ? *judge : judge.emplace(subject, schedules_); };
    if (mine(subject.name(), unmutated))
      answer_ +=
          to_line(Control{subject.name(), schedules_.size(), subject.problems(), judge_of().control()}) +
          "\n";
    for (const Mutant& mutant : mutants_of(subject.kernel()))
      if (mine(subject.name(), mutant.id))
        add({0, subject.name(), mutant.id, mutant.source + ": " + mutant.instruction,
             judge_of().judge(mutant)});
  }

  NameFilter filter_;
  std::optional<std::set<std::string>> pages_;
  std::vector<std::string> schedules_;
  size_t worker_, count_, next_ = 0;
  std::string answer_;
};

// Mutants fault by the hundred, and the device says so each time.
void silence_device() {
  const int nowhere = open("/dev/null", O_WRONLY);
  if (nowhere >= 0) dup2(nowhere, STDERR_FILENO);
}

std::string answer_of(const MutationOptions& options, size_t worker, size_t count) {
  silence_device();
  try {
    if (!hip::runtime().embedded || hip::api().Mutants == nullptr)
      throw InvalidInput("mutants", hip::runtime().device, "are made by the embedded device only");
    return Worker(options, worker, count).work();
  } catch (const std::exception& error) {
    return failed + std::string(error.what());
  }
}

Ledger collected(const std::vector<std::string>& answers) {
  Ledger ledger;
  for (const std::string& answer : answers) {
    if (answer.starts_with(failed)) throw std::runtime_error(answer.substr(1));
    std::istringstream lines(answer);
    for (std::string line; std::getline(lines, line);) add_line(ledger, line);
  }
  std::ranges::sort(ledger.entries, {}, &LedgerEntry::number);
  std::ranges::sort(ledger.controls, {}, &Control::subject);
  return ledger;
}

} // namespace

Ledger judge_mutants(const MutationOptions& options) {
  const NameFilter checked(options.filter); // refused here, not in every copy
  const size_t count = std::max(1u, std::thread::hardware_concurrency());
  Ledger ledger = collected(run_workers(
      count, 0, [&](size_t worker, const FirstFailure&) { return answer_of(options, worker, count); }));
  if (ledger.entries.empty() && ledger.controls.empty())
    throw InvalidInput("filter", options.filter,
                       "matches no mutant: it is searched in \"code object/kernel mutant\" and "
                       "\"implementation mutant\" (probe --ledger NAME lists them)");
  return ledger;
}

} // namespace fmha950::harness
