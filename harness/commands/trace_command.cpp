#include "harness/accuracy/row_sample.hpp"
#include "harness/cases/dispatch.hpp"
#include "harness/commands/commands.hpp"
#include "harness/device/case_run.hpp"
#include "harness/workload/generate.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>

namespace fmha950::harness {

namespace {

struct State {
  std::string text, implementation = "auto", output = "/dev/stdout";
  uint32_t workgroup = 0;
};

void trace(const State& state) {
  Problem problem = parse_case(state.text);
  const Tensors tensors = workload::make_tensors(problem);
  for (const Dispatch& dispatched : dispatch(state.implementation, problem)) {
    if (!dispatched.implementation || !dispatched.implementation->supports(problem))
      throw InvalidInput("case", state.text,
                         dispatched.implementation
                             ? "unsupported: " + dispatched.implementation->supports(problem).why_not
                             : dispatched.why_not);
    CaseRun run(*dispatched.implementation, problem, tensors);
    trace_to(fmt::format("{},{}", state.output, state.workgroup));
    run.run({}, all_rows(problem));
    trace_to("");
    fmt::print(stderr, "{} {}, workgroup {} of each launch; clocks are modelled\n",
               dispatched.implementation->name(), run.plan().variant(), state.workgroup);
  }
}

} // namespace

void add_trace_command(CLI::App& app, int& exit_code) {
  auto state = std::make_shared<State>();
  CLI::App* command = app.add_subcommand(
      "trace", "What the waves of a workgroup execute between barriers, per unit, as JSON lines");
  command->add_option("case", state->text, "Case string")->required();
  command->add_option("--impl", state->implementation, "Implementation, all or auto")->capture_default_str();
  command->add_option("--workgroup", state->workgroup, "Its linear id in every launch")
      ->capture_default_str();
  command->add_option("--output", state->output, "File to append to")->capture_default_str();
  command->callback([state, &exit_code] {
    trace(*state);
    exit_code = 0;
  });
}

} // namespace fmha950::harness
