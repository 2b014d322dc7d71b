#include "harness/accuracy/accuracy_case.hpp"
#include "harness/commands/case_command.hpp"
#include "harness/commands/commands.hpp"
#include "harness/perf/model_run.hpp"
#include "harness/perf/performance_table.hpp"

#include <CLI/CLI.hpp>
#include <memory>

namespace fmha950::harness {

namespace {

struct State {
  CaseCommand cases{"perf"};
  AccuracyOptions accuracy;
  ModelOptions model;
};

int run_perf(State& state) {
  state.cases.table = std::make_shared<PerformanceTable>(stdout);
  return state.cases.run(state.model.arguments(), [&](const PreparedCase& prepared) {
    auto oracle = std::make_shared<CaseOracle>(prepared.problem, prepared.tensors);
    CaseBody body;
    body.run = [&, oracle](const PreparedCase& item, const Implementation& implementation, Record& record) {
      judge_case(implementation, item.problem, item.tensors, state.accuracy, *oracle, record);
      if (record.outcome.kind() == OutcomeKind::passed) // a wrong kernel's speed says nothing
        record.modelled = model_case(implementation, item.problem, item.tensors, state.model);
    };
    return body;
  });
}

} // namespace

void add_perf_command(CLI::App& app, int& exit_code) {
  auto state = std::make_shared<State>();
  CLI::App* command = app.add_subcommand(
      "perf", "Model the performance of cases that pass accuracy, on the embedded device's cycle model");
  state->cases.add_options(*command);
  state->model.add_options(*command);
  command->callback([state, &exit_code] { exit_code = run_perf(*state); });
}

} // namespace fmha950::harness
