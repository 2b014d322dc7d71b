#include "harness/commands/accuracy_command.hpp"
#include "harness/commands/commands.hpp"
#include "harness/commands/perf_command.hpp"
#include "harness/report/comparison.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

namespace fmha950::harness {

namespace {

// Names among the cases are implementations: `compare pipelined baseline CASE`.
void take_implementations(CaseCommand& command) {
  std::string names;
  std::erase_if(command.selection.cases, [&](const std::string& text) {
    const bool is_name = std::ranges::any_of(
        implementations(), [&](const auto& implementation) { return implementation->name() == text; });
    if (is_name) names += (names.empty() ? "" : ",") + text;
    return is_name;
  });
  if (!names.empty()) command.implementation = names;
}

} // namespace

void add_compare_command(CLI::App& app, int& exit_code) {
  struct State {
    CaseCommand cases{"compare"};
    PerfOptions options;
    bool perf = false;
  };
  auto state = std::make_shared<State>();
  state->cases.implementation = "all";
  CLI::App* command = app.add_subcommand(
      "compare", "Run cases on several implementations and show them side by side, beside the reference");
  state->cases.add_options(*command);
  state->options.add_options(*command);
  command->add_flag("--perf", state->perf, "Their speed, as `perf` does");
  command->footer("compare A B --list NAME: names of implementations may stand before the cases");
  command->callback([state, &exit_code] {
    take_implementations(state->cases);
    if (state->perf) {
      exit_code = run_perf(state->cases, state->options);
      return;
    }
    auto comparison = std::make_shared<Comparison>(stdout);
    state->cases.table = comparison;
    exit_code = run_accuracy(state->cases, state->options.accuracy);
  });
}

} // namespace fmha950::harness
