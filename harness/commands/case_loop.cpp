#include "harness/commands/case_loop.hpp"

#include "harness/isolation/case_process.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/judge/visible_work.hpp"
#include "harness/output/interruption.hpp"
#include "harness/output/progress.hpp"
#include "harness/record/guarded.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "workload/data_directory.hpp"
#include "workload/validate_values.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// The device's settings come from the environment too, and belong to the line that reproduces a record.
std::string environment_prefix() {
  std::string prefix;
  for (const char* name : {"FMHA950_HIP_LIBRARY", "FMHA950_DEVICE_DIR", "FMHA950_SCHEDULE", "FMHA950_THREADS",
                           "FMHA950_MFMA", "FMHA950_CARRY", "FMHA950_SIMD", "FMHA950_CHECK",
                           "FMHA950_SUPPRESS", "FMHA950_MUTANT", "FMHA950_BUDGET", "FMHA950_DATA"})
    if (const char* value = std::getenv(name); value != nullptr)
      prefix += fmt::format("{}='{}' ", name, value);
  return prefix;
}

// One implementation's part of an item.
struct Entry {
  Record record; // as far as it is known before it is made
  const nlohmann::ordered_json* kept = nullptr;
  const Implementation* implementation = nullptr; // null: there is nothing to run
};

// Ten minutes, and for each run a second for 0.1 GFLOP: a tenth of the embedded device's speed with all checks on.
double seconds_for(const PreparedCase& prepared, size_t runs) {
  const double flops = std::min(attention_flops(prepared.problem, prepared.tensors), device_budget);
  return 600 + static_cast<double>(runs) * flops / 1e8;
}

// What is wrong with the environment is said before a file is begun.
Record common_of(const CaseLoop& loop) {
  if (std::getenv("FMHA950_DATA") != nullptr) workload::data_directory(); // refused here, not in every case
  Record common;
  common.command = loop.command;
  common.environment = environment(true);
  return common;
}

class Loop {
 public:
  using BodyFor = std::function<CaseBody(size_t, const PreparedCase&)>;
  Loop(const CaseLoop& of, const BodyFor& body_for, size_t items);
  void run(size_t index, const CaseItem& item);
  bool ended() const { return stop_ || interrupting_signal() != 0; }
  int close();

 private:
  std::vector<Entry> entries_of(const CaseItem& item);
  void compute(size_t index, const CaseItem& item, const std::vector<Entry>& entries,
               const std::vector<size_t>& wanted, const std::function<void(double)>& allow,
               const std::function<bool(const Record&)>& send) const;
  void compute_apart(size_t index, const CaseItem& item, const std::vector<Entry>& entries,
                     std::vector<size_t> wanted);
  void announce(const std::vector<Entry>& entries);
  void add(const Record& record);
  void add_entries(const std::vector<Entry>& entries, size_t end); // those that need no run
  void take(const std::vector<Entry>& entries, size_t i, const Record& record);

  const CaseLoop& of_;
  const BodyFor& body_for_;
  const std::vector<std::string> names_;
  const Record common_;
  Interruption interruption_;
  Report report_;
  Progress progress_;
  CaseUse use_;
  const size_t total_;
  size_t done_ = 0, next_ = 0; // results; the item's first entry that is not reported
  bool stop_ = false;
};

Loop::Loop(const CaseLoop& of, const BodyFor& body_for, size_t items)
    : of_(of), body_for_(body_for), names_(requested_names(of.implementation)), common_(common_of(of)),
      report_(of.output, of.table), progress_(items * names_.size()), use_(of.use),
      total_(items * names_.size()) {
  use_.embedded = common_.environment.embedded;
}

std::vector<Entry> Loop::entries_of(const CaseItem& item) {
  std::vector<Dispatch> choices; // one per name; empty if the case itself is broken
  Record of_case = common_;
  of_case.case_string = item.text;
  of_case.probe = item.probe;
  guarded(of_case, [&] {
    const Problem problem = item.problem();
    of_case.case_string = print_case(problem);
    choices = dispatch(of_.implementation, problem);
  });
  std::vector<Entry> entries;
  for (size_t i = 0; i < names_.size(); ++i) {
    Entry& entry = entries.emplace_back(of_case);
    Record& record = entry.record;
    record.requested = names_[i];
    record.reproduce = fmt::format("{}./fmha950 {} {} --impl {}{}{}", environment_prefix(), of_.command,
                                   item.argument, names_[i], of_.arguments, of_.memory_limit.argument());
    record.asked = record.reproduce + item.digest + of_.digest;
    entry.kept = report_.kept(record);
    if (choices.empty() || entry.kept != nullptr) continue;
    entry.implementation = choices[i].implementation;
    if (entry.implementation == nullptr)
      record.outcome = Outcome::failed(OutcomeKind::unsupported, choices[i].why_not);
    else
      record.fallback = choices[i].fallback();
  }
  return entries;
}

// `send` takes the records of the wanted entries, in their order, and one more if the body's end fails. It says whether
// to go on.
void Loop::compute(size_t index, const CaseItem& item, const std::vector<Entry>& entries,
                   const std::vector<size_t>& wanted, const std::function<void(double)>& allow,
                   const std::function<bool(const Record&)>& send) const {
  PreparedCase prepared;
  CaseBody body;
  Record of_case = common_;
  guarded(of_case, [&] {
    prepared.problem = item.problem();
    of_.memory_limit.require(item.memory(prepared.problem, use_));
    prepared.tensors = item.tensors(prepared.problem);
    validate_tensors(prepared.problem, prepared.tensors);
    workload::validate_values(prepared.problem, prepared.tensors);
    body = body_for_(index, prepared);
    allow(seconds_for(prepared, of_.isolation.runs));
  });
  for (const size_t i : wanted) {
    Record record = entries[i].record;
    if (body.run)
      guarded(record, [&] { body.run(prepared, *entries[i].implementation, record); });
    else
      record.outcome = of_case.outcome;
    if (!send(record)) return;
  }
  if (!body.finish) return;
  bool finished = false;
  Record failure = common_;
  failure.case_string = entries.front().record.case_string;
  failure.probe = item.probe;
  guarded(failure, [&] {
    body.finish(prepared);
    finished = true;
  });
  if (!finished) send(failure);
}

// Goes on behind an entry whose process has ended.
void Loop::compute_apart(size_t index, const CaseItem& item, const std::vector<Entry>& entries,
                         std::vector<size_t> wanted) {
  const CaseLimits limits{.seconds = of_.isolation.seconds, .bytes = of_.memory_limit.bytes()};
  while (!wanted.empty() && !ended()) {
    CaseProcess process(limits, [&](const CaseSender& sender) {
      compute(
          index, item, entries, wanted, [&](double seconds) { sender.allow(seconds); },
          [&](const Record& record) {
            sender.send(record);
            return true;
          });
    });
    for (bool runs = true; runs;) {
      announce(entries);
      const CaseProcess::Event event = process.next([&] { progress_.clear(); });
      const Record* const record = std::get_if<Record>(&event);
      const Outcome* const death = std::get_if<Outcome>(&event);
      runs = record != nullptr;
      if (record == nullptr && death == nullptr) continue;
      Record failed = entries[wanted.empty() ? 0 : wanted.front()].record;
      if (death != nullptr) failed.outcome = *death;
      const Record& result = record != nullptr ? *record : failed;
      if (wanted.empty()) {
        add(result); // the body's end failed
      } else {
        take(entries, wanted.front(), result);
        wanted.erase(wanted.begin());
      }
    }
  }
}

void Loop::announce(const std::vector<Entry>& entries) {
  for (size_t i = next_; i < entries.size(); ++i) {
    const Record& record = entries[i].record;
    if (entries[i].implementation != nullptr)
      return progress_.start(
          fmt::format("{} {}", record.requested, record.probe.empty() ? record.case_string : record.probe));
  }
}

void Loop::add(const Record& record) {
  progress_.clear();
  report_.add(record);
  stop_ = of_.stop_at_failure && record.outcome.is_failure();
}

void Loop::add_entries(const std::vector<Entry>& entries, size_t end) {
  for (; next_ < end && !ended(); ++next_, ++done_) {
    const Entry& entry = entries[next_];
    progress_.clear();
    progress_.done();
    if (entry.kept == nullptr) {
      add(entry.record);
      continue;
    }
    report_.add_kept(*entry.kept);
    stop_ = of_.stop_at_failure && outcome_of(*entry.kept).is_failure();
  }
}

void Loop::take(const std::vector<Entry>& entries, size_t i, const Record& record) {
  add_entries(entries, i);
  if (next_ != i) return; // ended before it
  progress_.done();
  add(record);
  ++next_;
  ++done_;
}

void Loop::run(size_t index, const CaseItem& item) {
  const std::vector<Entry> entries = entries_of(item);
  next_ = 0;
  std::vector<size_t> wanted;
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].implementation != nullptr) wanted.push_back(i);
  add_entries(entries, wanted.empty() ? entries.size() : wanted.front());
  if (!wanted.empty() && of_.isolation.on) {
    compute_apart(index, item, entries, wanted);
  } else if (!wanted.empty()) {
    size_t sent = 0;
    announce(entries);
    compute(
        index, item, entries, wanted, [](double) {},
        [&](const Record& record) {
          if (sent == wanted.size()) {
            add(record); // the body's end failed
            return true;
          }
          take(entries, wanted[sent++], record);
          if (!ended()) announce(entries);
          return !ended();
        });
  }
  add_entries(entries, entries.size());
}

int Loop::close() {
  progress_.clear();
  if (of_.epilogue) of_.epilogue(report_.text());
  const int code = report_.close();
  const int signal = interrupting_signal();
  if (signal == 0 || done_ == total_) return code;
  const char* const going_on = of_.output.file.empty() ? "with --output FILE a run can go on later"
                               : !of_.output.resumable ? "run it again"
                               : of_.output.overwrite
                                   ? "the same command with --resume in place of --overwrite goes on"
                                   : "the same command with --resume goes on";
  fmt::print(stderr, "interrupted ({}): {} of {} results are missing; {}\n", strsignal(signal),
             total_ - done_, total_, going_on);
  return 128 + signal;
}

} // namespace

int CaseLoop::run(const std::vector<CaseItem>& items,
                  const std::function<CaseBody(size_t, const PreparedCase&)>& body_for) const {
  Loop loop(*this, body_for, items.size());
  for (size_t index = 0; index < items.size() && !loop.ended(); ++index) loop.run(index, items[index]);
  return loop.close();
}

} // namespace fmha950::harness
