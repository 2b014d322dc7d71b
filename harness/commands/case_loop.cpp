#include "harness/commands/case_loop.hpp"

#include "harness/output/progress.hpp"
#include "harness/record/guarded.hpp"
#include "interface/case_string.hpp"
#include "interface/validate.hpp"
#include "workload/data_directory.hpp"
#include "workload/validate_values.hpp"

#include <algorithm>
#include <cstdlib>
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

} // namespace

int CaseLoop::run(const std::vector<CaseItem>& items,
                  const std::function<CaseBody(size_t, const PreparedCase&)>& body_for) const {
  const std::vector<std::string> names = requested_names(implementation);
  if (std::getenv("FMHA950_DATA") != nullptr) workload::data_directory(); // refused here, not in every case
  Record common;
  common.command = command;
  common.environment = environment(true);
  Report report(output, table);
  Progress progress(items.size() * names.size());
  CaseUse use_on_device = use;
  use_on_device.embedded = hip::runtime().embedded;
  bool stop = false;
  const auto add = [&](const Record& record) {
    report.add(record);
    stop = stop_at_failure && record.outcome.is_failure();
  };
  for (size_t index = 0; index < items.size() && !stop; ++index) {
    const CaseItem& item = items[index];
    PreparedCase prepared;
    std::vector<Dispatch> choices; // one per name; empty if the case itself is broken
    Record of_case = common;
    of_case.case_string = item.text;
    of_case.probe = item.probe;
    guarded(of_case, [&] {
      prepared.problem = item.problem();
      of_case.case_string = print_case(prepared.problem);
      choices = dispatch(implementation, prepared.problem);
    });
    const auto record_of = [&](size_t i) { // as far as it is known before it is made
      Record record = of_case;
      record.requested = names[i];
      record.reproduce = fmt::format("{}./fmha950 {} {} --impl {}{}{}", environment_prefix(), command,
                                     item.argument, names[i], arguments, memory_limit.argument());
      record.asked = record.reproduce + item.digest + digest;
      return record;
    };
    std::vector<const nlohmann::ordered_json*> kept;
    bool runs = false;
    for (size_t i = 0; i < names.size(); ++i) {
      kept.push_back(report.kept(record_of(i)));
      runs = runs || (kept[i] == nullptr && i < choices.size() && choices[i].implementation != nullptr);
    }
    CaseBody body;
    if (runs)
      guarded(of_case, [&] {
        memory_limit.require(item.memory(prepared.problem, use_on_device));
        prepared.tensors = item.tensors(prepared.problem);
        validate_tensors(prepared.problem, prepared.tensors);
        workload::validate_values(prepared.problem, prepared.tensors);
        body = body_for(index, prepared);
      });
    for (size_t i = 0; i < names.size() && !stop; ++i) {
      if (kept[i] != nullptr) {
        progress.done();
        progress.clear();
        report.add_kept(*kept[i]);
        stop = stop_at_failure && outcome_of(*kept[i]).is_failure();
        continue;
      }
      Record record = record_of(i);
      progress.start(fmt::format("{} {}", names[i], item.probe.empty() ? record.case_string : item.probe));
      if (i < choices.size() && choices[i].implementation == nullptr)
        record.outcome = Outcome::failed(OutcomeKind::unsupported, choices[i].why_not);
      else if (body.run) {
        record.fallback = choices[i].fallback();
        guarded(record, [&] { body.run(prepared, *choices[i].implementation, record); });
      }
      progress.clear();
      progress.done();
      add(record);
    }
    if (!body.finish) continue;
    bool finished = false;
    Record failure = of_case;
    guarded(failure, [&] {
      body.finish(prepared);
      finished = true;
    });
    if (!finished) add(failure);
  }
  if (epilogue) epilogue(report.text());
  return report.close();
}

} // namespace fmha950::harness
