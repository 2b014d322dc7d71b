#include "harness/commands/case_command.hpp"
#include "harness/commands/commands.hpp"
#include "harness/commands/perf_command.hpp"
#include "harness/commands/shared_options.hpp"
#include "harness/report/record_table.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace fmha950::harness {

namespace {

// Names among the cases are implementations: `compare pipelined baseline CASE`. `named`: by --impl, too.
void take_implementations(CaseCommand& command, bool named) {
  std::string taken, known;
  for (const auto& implementation : implementations())
    known += fmt::format("{}{}", known.empty() ? "" : ", ", implementation->name());
  std::erase_if(command.selection.cases, [&](const std::string& text) {
    if (text.find('/') != text.npos) return false; // a case
    if (std::ranges::none_of(implementations(),
                             [&](const auto& implementation) { return implementation->name() == text; }))
      throw InvalidInput("compare", text, "must be a case string or an implementation: " + known);
    taken += (taken.empty() ? "" : ",") + text;
    return true;
  });
  if (taken.empty()) return;
  if (named)
    throw InvalidInput(
        "--impl", command.implementation,
        fmt::format("{} before the cases are the implementations: name all there, or all here", taken));
  command.implementation = taken;
}

} // namespace

void add_compare_command(Command program, int& exit_code) {
  struct State {
    CaseCommand cases{"compare"};
    PerfOptions options;
    bool perf = false;
  };
  auto state = std::make_shared<State>();
  state->cases.implementation = "all";
  Command command = program.command(
      "compare", "Run cases on several implementations and show them side by side, beside the reference");
  state->cases.add_options(command);
  add_options(command, state->options);
  command.flag("--perf", state->perf, "Their speed, as `perf` does");
  command.footer("compare A B --list NAME: names of implementations may stand before the cases");
  command.run([state, command, &exit_code] {
    state->cases.external.use();
    take_implementations(state->cases, command.given("--impl"));
    const std::string of_perf = state->options.model.arguments() + state->options.measure.arguments();
    if (!state->perf && !of_perf.empty())
      throw InvalidInput("options", of_perf.substr(1), "are of `perf`: add --perf");
    if (state->perf) {
      exit_code = run_perf(state->cases, state->options, " --perf");
      return;
    }
    auto comparison = std::make_shared<Comparison>(stdout);
    state->cases.table = comparison;
    exit_code = run_accuracy(state->cases, state->options.accuracy);
  });
}

} // namespace fmha950::harness
