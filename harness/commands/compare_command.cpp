#include "harness/commands/accuracy_command.hpp"
#include "harness/commands/commands.hpp"
#include "harness/report/comparison.hpp"

#include <CLI/CLI.hpp>
#include <memory>

namespace fmha950::harness {

void add_compare_command(CLI::App& app, int& exit_code) {
  struct State {
    CaseCommand cases{"compare"};
    AccuracyOptions options;
  };
  auto state = std::make_shared<State>();
  state->cases.implementation = "all";
  CLI::App* command = app.add_subcommand(
      "compare", "Run cases on several implementations and show them side by side, beside the reference");
  state->cases.add_options(*command);
  state->options.add_options(*command);
  command->callback([state, &exit_code] {
    auto comparison = std::make_shared<Comparison>(stdout);
    state->cases.table = comparison;
    exit_code = run_accuracy(state->cases, state->options);
  });
}

} // namespace fmha950::harness
