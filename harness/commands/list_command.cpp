#include "harness/cases/case_selection.hpp"
#include "harness/cases/dispatch.hpp"
#include "harness/cases/model_cases.hpp"
#include "harness/commands/commands.hpp"
#include "harness/commands/shared_options.hpp"
#include "interface/implementation.hpp"
#include "workload/model_shapes.hpp"
#include "workload/trace.hpp"

#include <fmt/format.h>
#include <memory>
#include <optional>

namespace fmha950::harness {

namespace {

struct ListState {
  CaseSelection selection;
  std::optional<std::string> implementation;
  ExternalOption external;
  bool why = false, shapes = false, models = false;
};

void print_overview() {
  fmt::print("implementations\n");
  for (const auto& implementation : implementations())
    fmt::print("  {:<14} {}\n", implementation->name(), implementation->description());
  fmt::print("case lists ({})\n", case_list_directory().string());
  for (const std::string& name : case_list_names())
    fmt::print("  {:<20} {} cases\n", name, read_case_list(name).size());
}

// ", estimated 96.5 us"; empty where there is no estimate.
std::string estimate_text(const Implementation& implementation, const Problem& problem) {
  const std::optional<double> seconds = estimated_seconds(implementation, problem);
  return seconds ? fmt::format(", estimated {:.1f} us", *seconds * 1e6) : "";
}

// Whether each supports the problem; with `why`, also how long it would take, and which of all `auto` chooses.
void print_support(const std::vector<Dispatch>& choices, const Problem& problem, bool why) {
  const Dispatch automatic = why ? dispatch("auto", problem).front() : Dispatch{};
  for (const Dispatch& choice : choices) {
    if (choice.implementation == nullptr) {
      fmt::print("  {:<14} unsupported: {}\n", choice.requested, choice.why_not);
      continue;
    }
    const bool chosen = why && choice.implementation == automatic.implementation;
    fmt::print("  {:<14} supported{}{}\n", choice.requested,
               why ? estimate_text(*choice.implementation, problem) : "",
               chosen ? fmt::format("; auto chooses it by {}", automatic.chosen_by) : "");
  }
}

// Which one runs, under those that are passed over before it.
void print_choice(const Dispatch& choice) {
  for (const PassedOver& tried : choice.passed_over)
    fmt::print("  {:<14} passed over: {}\n", tried.implementation, tried.reason);
  if (choice.implementation != nullptr)
    fmt::print("  {:<14} chosen by {}\n", choice.implementation->name(), choice.chosen_by);
  else
    fmt::print("  {:<14} unsupported: no implementation takes it\n", choice.requested);
}

int list(const ListState& state) {
  if (state.shapes) {
    fmt::print("{}", workload::model_shape_table());
    return 0;
  }
  state.external.use();
  if (state.models) {
    fmt::print("{}", model_case_table());
    return 0;
  }
  const std::string requested = state.implementation.value_or("all");
  requested_names(requested); // refused here, whether or not a case asks for them
  if (state.selection.empty()) {
    if (state.why) throw InvalidInput("case", "", "--why explains cases: give a case string or --list");
    print_overview();
    return 0;
  }
  const bool support = state.why || state.implementation;
  for (const SelectedCase& item : state.selection.select()) {
    if (item.error) throw *item.error;
    fmt::print("{}\n", item.text);
    if (!support) continue;
    Problem problem = *item.problem;
    workload::resolve_trace(problem);
    const std::vector<Dispatch> choices = dispatch(requested, problem);
    if (requested == "auto")
      print_choice(choices.front());
    else
      print_support(choices, problem, state.why);
  }
  return 0;
}

} // namespace

void add_list_command(Command program, int& exit_code) {
  auto state = std::make_shared<ListState>();
  Command command =
      program.command("list", "Implementations and case lists; with a selection, its case strings");
  add_options(command, state->selection);
  state->external.add(command);
  command.option("--impl", state->implementation,
                 "Say for each case whether this implementation supports it; auto: which one it chooses");
  command.flag("--why", state->why,
               "Say for each case which implementations support it, their estimated times and what auto "
               "chooses, and why the others do not");
  command.flag("--shapes", state->shapes,
               "Attention shapes of published models and their tensor-parallel shards");
  command.flag("--models", state->models,
               "Cases with these shapes, and which implementations take each, or why none does");
  command.run([state, &exit_code] { exit_code = list(*state); });
}

} // namespace fmha950::harness
