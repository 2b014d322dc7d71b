#include "harness/commands/case_loop.hpp"

#include "harness/isolation/case_process.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/judge/visible_work.hpp"
#include "harness/output/interruption.hpp"
#include "harness/output/progress.hpp"
#include "harness/record/record.hpp"
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
  for (const char* name :
       {"FMHA950_HIP_LIBRARY", "FMHA950_DEVICE_DIR", "FMHA950_SCHEDULE", "FMHA950_THREADS", "FMHA950_MFMA",
        "FMHA950_CARRY", "FMHA950_BYTE_ROUNDING", "FMHA950_SIMD", "FMHA950_CHECK", "FMHA950_SUPPRESS",
        "FMHA950_BASELINE", "FMHA950_MUTANT", "FMHA950_BUDGET", "FMHA950_DATA"})
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

// An item with what is known of it before anything runs.
struct ItemRun {
  size_t index;
  const CaseItem& item;
  Problem problem; // if the item is not broken
  Record of_case;  // what the records of all entries have
  std::vector<Entry> entries;
  std::vector<size_t> pending; // entries that are to run and have no result yet, in order
  size_t next = 0;             // the first entry that is not reported
};

// And for each run a second for 0.1 GFLOP: a tenth of the embedded device's speed with all checks on.
double seconds_for(const PreparedCase& prepared, size_t runs) {
  const double flops = std::min(attention_flops(prepared.problem, prepared.tensors), device_budget);
  return seconds_to_prepare + static_cast<double>(runs) * flops / 1e8;
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
  const char* how_to_go_on() const;

 private:
  ItemRun begun(size_t index, const CaseItem& item);
  void compute(const ItemRun& run, const std::function<void(double)>& allow,
               const std::function<bool(const Record&)>& send) const;
  void compute_apart(ItemRun& run);
  void announce(const ItemRun& run);
  void add(const Record& record);
  void add_entries(ItemRun& run, size_t end); // those that need no run
  void take(ItemRun& run, const Record& record);

  const CaseLoop& of_;
  const BodyFor& body_for_;
  const std::vector<std::string> names_;
  const Record common_;
  Interruption interruption_;
  Report report_;
  Progress progress_; // of results
  CaseUse use_;
  bool stop_ = false;
};

Loop::Loop(const CaseLoop& of, const BodyFor& body_for, size_t items)
    : of_(of), body_for_(body_for), names_(requested_names(of.implementation)), common_(common_of(of)),
      report_(of.output, of.table), progress_(items * names_.size()), use_(of.use) {
  use_.embedded = common_.environment.embedded;
}

ItemRun Loop::begun(size_t index, const CaseItem& item) {
  ItemRun run{.index = index, .item = item, .problem = {}, .of_case = common_, .entries = {}, .pending = {}};
  std::vector<Dispatch> choices; // one per name; empty if the case itself is broken
  run.of_case.case_string = item.text;
  run.of_case.probe = item.probe;
  guarded(run.of_case, [&] {
    run.problem = item.problem();
    run.of_case.case_string = print_case(run.problem);
    choices = dispatch(of_.implementation, run.problem);
  });
  for (size_t i = 0; i < names_.size(); ++i) {
    Entry& entry = run.entries.emplace_back(run.of_case);
    Record& record = entry.record;
    record.requested = names_[i];
    const Origin origin_of_auto;
    const Origin& origin = names_[i] == "auto" ? origin_of_auto : find_implementation(names_[i]).origin();
    record.external = origin.digest;
    record.reproduce =
        fmt::format("{}./fmha950 {} {} --impl {}{}{}{}", environment_prefix(), of_.command, item.argument,
                    names_[i], origin.arguments, of_.arguments, of_.memory_limit.argument());
    record.asked = record.reproduce + item.digest + of_.digest + origin.digest;
    entry.kept = report_.kept(record);
    if (choices.empty() || entry.kept != nullptr) continue;
    entry.implementation = choices[i].implementation;
    if (entry.implementation == nullptr) {
      record.outcome = Outcome::failed(OutcomeKind::unsupported, choices[i].why_not);
      continue;
    }
    record.fallback = choices[i].fallback();
    run.pending.push_back(i);
  }
  return run;
}

// `send` takes the records of the pending entries, in their order, and one more if the body's end fails. It says whether
// to go on.
void Loop::compute(const ItemRun& run, const std::function<void(double)>& allow,
                   const std::function<bool(const Record&)>& send) const {
  PreparedCase prepared;
  CaseBody body;
  Record of_case = run.of_case;
  guarded(of_case, [&] {
    prepared.problem = run.problem;
    of_.memory_limit.require(run.item.memory(prepared.problem, use_));
    prepared.tensors = run.item.tensors(prepared.problem);
    validate_tensors(prepared.problem, prepared.tensors);
    workload::validate_values(prepared.problem, prepared.tensors);
    body = body_for_(run.index, prepared);
    allow(seconds_for(prepared, of_.isolation.runs));
  });
  for (const size_t i : std::vector(run.pending)) { // `send` may take them off
    Record record = run.entries[i].record;
    if (body.run)
      guarded(record, [&] { body.run(prepared, *run.entries[i].implementation, record); });
    else
      record.outcome = of_case.outcome;
    if (!send(record)) return;
  }
  if (!body.finish) return;
  bool finished = false;
  guarded(of_case, [&] {
    body.finish(prepared);
    finished = true;
  });
  if (!finished) send(of_case);
}

// Goes on behind an entry whose process has ended.
void Loop::compute_apart(ItemRun& run) {
  const CaseLimits limits{.seconds = of_.isolation.seconds, .bytes = of_.memory_limit.bytes()};
  while (!run.pending.empty() && !ended()) {
    CaseProcess process(limits, [&](const CaseSender& sender) {
      compute(
          run, [&](double seconds) { sender.allow(seconds); },
          [&](const Record& record) {
            sender.send(record);
            return true;
          });
    });
    for (bool runs = true; runs;) {
      announce(run);
      const CaseProcess::Event event = process.next([&] { progress_.clear(); });
      runs = std::holds_alternative<Record>(event);
      if (runs) take(run, std::get<Record>(event));
      if (const Outcome* const death = std::get_if<Outcome>(&event)) {
        Record record = run.pending.empty() ? run.of_case : run.entries[run.pending.front()].record;
        record.outcome = *death;
        take(run, record);
      }
    }
  }
}

void Loop::announce(const ItemRun& run) {
  if (run.pending.empty()) return;
  const Record& record = run.entries[run.pending.front()].record;
  progress_.start(
      fmt::format("{} {}", record.requested, record.probe.empty() ? record.case_string : record.probe));
}

void Loop::add(const Record& record) {
  progress_.clear();
  report_.add(record);
  stop_ = of_.stop_at_failure && record.outcome.is_failure();
}

void Loop::add_entries(ItemRun& run, size_t end) {
  for (; run.next < end && !ended(); ++run.next) {
    const Entry& entry = run.entries[run.next];
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

// The result of the first pending entry; without one, that of the body's end, which failed.
void Loop::take(ItemRun& run, const Record& record) {
  if (run.pending.empty()) return add(record);
  const size_t entry = run.pending.front();
  run.pending.erase(run.pending.begin());
  add_entries(run, entry);
  if (run.next != entry) return; // ended before it
  progress_.done();
  add(record);
  ++run.next;
}

void Loop::run(size_t index, const CaseItem& item) {
  ItemRun run = begun(index, item);
  add_entries(run, run.pending.empty() ? run.entries.size() : run.pending.front());
  if (!run.pending.empty() && of_.isolation.on) {
    compute_apart(run);
  } else if (!run.pending.empty()) {
    announce(run);
    compute(
        run, [](double) {},
        [&](const Record& record) {
          take(run, record);
          if (!ended()) announce(run);
          return !ended();
        });
  }
  add_entries(run, run.entries.size());
}

const char* Loop::how_to_go_on() const {
  const OutputOptions& output = of_.output;
  return output.file.empty() ? "with --output FILE a run can go on later"
         : !output.resumable ? "run it again"
         : output.overwrite  ? "the same command with --resume in place of --overwrite goes on"
                             : "the same command with --resume goes on";
}

int Loop::close() {
  progress_.clear();
  if (of_.epilogue) of_.epilogue(report_.text());
  const int code = report_.close();
  const int signal = interrupting_signal();
  if (signal == 0 || progress_.left() == 0) return code;
  fmt::print(stderr, "interrupted ({}): {} of {} results are missing; {}\n", strsignal(signal),
             progress_.left(), progress_.total(), how_to_go_on());
  return 128 + signal;
}

} // namespace

int CaseLoop::run(const std::vector<CaseItem>& items,
                  const std::function<CaseBody(size_t, const PreparedCase&)>& body_for) const {
  Loop loop(*this, body_for, items.size());
  try {
    for (size_t index = 0; index < items.size() && !loop.ended(); ++index) loop.run(index, items[index]);
  } catch (const UnwrittenLine& error) {
    throw UnwrittenLine(fmt::format("{}; {}", error.what(), loop.how_to_go_on()));
  }
  return loop.close();
}

} // namespace fmha950::harness
