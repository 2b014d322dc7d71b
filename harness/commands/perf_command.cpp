#include "harness/commands/perf_command.hpp"

#include "harness/commands/commands.hpp"
#include "harness/perf/performance_table.hpp"

#include <CLI/CLI.hpp>
#include <memory>

namespace fmha950::harness {

int run_perf(CaseCommand& cases, const AccuracyOptions& accuracy, const ModelOptions& model) {
  cases.table = std::make_shared<PerformanceTable>(stdout);
  return cases.run(accuracy.arguments() + model.arguments(), [&](const PreparedCase& prepared) {
    auto oracle = std::make_shared<CaseOracle>(prepared.problem, prepared.tensors);
    CaseBody body;
    body.run = [&, oracle](const PreparedCase& item, const Implementation& implementation, Record& record) {
      judge_case(implementation, item.problem, item.tensors, accuracy, *oracle, record);
      if (record.outcome.kind() == OutcomeKind::passed)
        record.modelled = model_case(implementation, item.problem, item.tensors, model);
    };
    return body;
  });
}

void add_perf_command(CLI::App& app, int& exit_code) {
  struct State {
    CaseCommand cases{"perf"};
    AccuracyOptions accuracy;
    ModelOptions model;
  };
  auto state = std::make_shared<State>();
  CLI::App* command = app.add_subcommand(
      "perf", "Model the performance of cases that pass accuracy, on the embedded device's cycle model");
  state->cases.add_options(*command);
  state->accuracy.add_options(*command);
  state->model.add_options(*command);
  command->callback(
      [state, &exit_code] { exit_code = run_perf(state->cases, state->accuracy, state->model); });
}

} // namespace fmha950::harness
