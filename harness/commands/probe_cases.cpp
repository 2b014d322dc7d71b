// Probes one after another: judged by the accuracy rule, or their bits compared under many schedules.
#include "harness/commands/probe_command.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/device/variation.hpp"
#include "harness/probe/permutation_table.hpp"
#include "harness/probe/probe_runner.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "interface/error.hpp"

#include <fmt/format.h>
#include <map>
#include <memory>

namespace fmha950::harness {

namespace {

CaseItem item_of(const Probe& probe) {
  return {"", fmt::format("--filter '^{}$'", probe.name), probe.name, [&probe] { return probe.problem; },
          [&probe](const Problem&) { return make_tensors(probe); }};
}

std::vector<CaseItem> items_of(const std::vector<Probe>& probes) {
  std::vector<CaseItem> items;
  for (const Probe& probe : probes) items.push_back(item_of(probe));
  return items;
}

} // namespace

int run_probes(const ProbeState& state, CaseLoop loop, const std::vector<Probe>& probes) {
  require_valid(state.options.variations);
  std::map<std::string_view, ProbeRunner> runners; // by implementation
  PermutationTable table;
  if (state.table && state.output.resume)
    throw InvalidInput("--table", "with --resume",
                       "is of what this run computes, and --resume computes less");
  if (state.table) loop.epilogue = [&](std::FILE* out) { table.print(out); };
  return loop.run(items_of(probes), [&](size_t index, const PreparedCase& prepared) {
    auto oracle = std::make_shared<CaseOracle>(prepared.problem, prepared.tensors);
    CaseBody body;
    body.run = [&, index, oracle](const PreparedCase& item, const Implementation& implementation,
                                  Record& record) {
      ProbeRunner& runner =
          runners.try_emplace(implementation.name(), implementation, state.options).first->second;
      const std::string name(implementation.name());
      try {
        const ProbeResult result = runner.run(probes[index], item.tensors, *oracle, record);
        table.add(name, probes[index], &result, record.outcome);
      } catch (...) { // becomes the record's outcome; the table shows that there is no result
        table.add(name, probes[index], nullptr, Outcome::failed(OutcomeKind::not_run, "no result"));
        throw;
      }
    };
    return body;
  });
}

int sweep_probes(const ProbeState& state, CaseLoop loop, const std::vector<Probe>& probes) {
  const std::string of_sweep = fmt::format(" --schedules {} --seed {}", state.schedules, state.seed);
  loop.arguments += of_sweep;
  const std::vector<std::string> schedules = schedule_list(state.schedules, state.seed);
  if (hip::api().SetOption != nullptr) // refused here, not in every probe
    for (const std::string& schedule : schedules) set_option("schedule", schedule);
  return loop.run(items_of(probes), [&](size_t, const PreparedCase&) {
    CaseBody body;
    body.run = [&](const PreparedCase& item, const Implementation& implementation, Record& record) {
      record.resolved = implementation.name();
      if (hip::api().SetOption == nullptr) {
        record.outcome =
            Outcome::failed(OutcomeKind::unsupported, "schedules: only the embedded device has them");
        return;
      }
      const auto failure = sweep(implementation, item.problem, item.tensors, schedules);
      if (!failure) {
        record.outcome = Outcome::passed();
        return;
      }
      const std::string& schedule = schedules[failure->index];
      record.reproduce.resize(record.reproduce.size() - of_sweep.size()); // two of them are enough
      record.reproduce +=
          fmt::format(" --schedules {},{}", item_of_schedule(schedules.front()), item_of_schedule(schedule));
      record.outcome = Outcome::failed(
          failure->kind, fmt::format("{} of {}, {}: {}; repeat it with {}", failure->index + 1,
                                     schedules.size(), schedule, failure->reason, record.reproduce));
    };
    return body;
  });
}

} // namespace fmha950::harness
