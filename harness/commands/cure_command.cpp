// `cure`: the smallest change that mends what the hazard checks find.
#include "harness/cases/dispatch.hpp"
#include "harness/commands/commands.hpp"
#include "harness/commands/shared_options.hpp"
#include "harness/cure/case_cures.hpp"
#include "harness/cure/inert_waits.hpp"
#include "harness/cure/mutant_cures.hpp"
#include "harness/cure/patched_kernels.hpp"
#include "harness/cure/program_cures.hpp"
#include "harness/cure/source_cures.hpp"
#include "harness/output/interruption.hpp"
#include "harness/output/line_file.hpp"
#include "harness/output/terminal_line.hpp"
#include "harness/output/whole_file.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <memory>

namespace fmha950::harness {

namespace {

constexpr size_t most_executions = 1'000'000;

struct CureState {
  std::string text, implementation = "auto", mutant, schedules = "6", filter, output, write;
  std::vector<std::string> further;
  bool mutants = false, pairs = false, json = false, brief = false, overwrite = false, too_strong = false,
       all = false, sources = false, inert = false, rerun = false;
  size_t most = 0;
  cure::SearchLimits limits;
  ExternalOption external;
};

const Implementation& the_implementation(const std::string& requested, const Problem& problem) {
  const std::vector<Dispatch> found = dispatch(requested, problem);
  if (found.size() != 1 || !found.front().implementation)
    throw InvalidInput("impl", requested,
                       found.size() == 1 ? "must support the case: " + found.front().why_not
                                         : "must be one implementation");
  return *found.front().implementation;
}

void write_patched(const std::vector<cure::CuredFinding>& findings, const CureState& state) {
  const std::vector<cure::PatchedKernel> kernels = cure::patched_kernels(findings, state.write);
  for (const cure::PatchedKernel& kernel : kernels) {
    require_writable("--write", kernel.file, state.overwrite);
    write_whole("--write", kernel.file, kernel.text);
    fmt::print(stderr, "{}: kernel {}\n", kernel.file.string(), kernel.kernel);
  }
  if (kernels.empty()) fmt::print(stderr, "{}: not written, as nothing is cured\n", state.write);
}

void print(const std::vector<cure::CuredFinding>& findings, const CureState& state) {
  for (size_t i = 0; i < findings.size(); ++i)
    fmt::print("{}\n", state.json    ? as_json(findings[i])
                       : state.brief ? as_line(findings[i])
                                     : as_text(findings[i], i + 1, findings.size()));
  if (!state.json) fmt::print("{}\n", closing_line(findings));
  std::fflush(stdout); // what cannot be written comes behind
}

// The findings of a case or a program, by `cure`; Ctrl-C ends it with the best so far.
int tell(CureState state,
         const std::function<std::vector<cure::CuredFinding>(const cure::SearchLimits&)>& cure) {
  if (!state.write.empty()) require_writable("--write", state.write, state.overwrite);
  const Interruption interruption;
  TerminalLine line;
  state.limits.go_on = [&](const cure::SoFar& so_far) {
    line.show(as_text(so_far));
    return interrupting_signal() == 0;
  };
  const std::vector<cure::CuredFinding> findings = cure(state.limits);
  line.clear();
  print(findings, state);
  if (!state.write.empty()) write_patched(findings, state);
  if (is_interrupted(findings)) {
    fmt::print(stderr,
               "interrupted ({}): the finding that was being cured has the best so far, and what is behind "
               "it was not looked at\n",
               strsignal(interrupting_signal()));
    return 128 + interrupting_signal();
  }
  return findings.empty() ? 0 : exit_code(OutcomeKind::hazard);
}

int cure_one_case(const CureState& state) {
  const Problem problem = parse_case(state.text);
  const Implementation& implementation = the_implementation(state.implementation, problem);
  return tell(state, [&](const cure::SearchLimits& limits) {
    cure::CaseCureOptions options{state.mutant, schedule_list(state.schedules, 1), state.further, limits};
    if (options.further.empty()) options.further = cure::further_cases(implementation, state.text);
    return cure::cure_case(implementation, state.text, options);
  });
}

int tell_too_strong(const CureState& state) {
  const Implementation& implementation = the_implementation(state.implementation, parse_case(state.text));
  cure::CaseStrengthOptions options{
      schedule_list(state.schedules, 1), state.further, {state.all, state.limits.seconds}};
  if (options.further.empty()) options.further = cure::further_cases(implementation, state.text);
  const std::vector<cure::TooStrongSet> sets = cure::too_strong_in_case(implementation, state.text, options);
  for (const cure::TooStrongSet& set : sets) fmt::print("{}\n", state.json ? as_json(set) : as_text(set));
  if (!state.json) fmt::print("{}\n", closing_line(sets));
  const bool holds = std::ranges::all_of(
      sets, [](const cure::TooStrongSet& set) { return set.unsound.empty() && set.contradicted.empty(); });
  return holds ? 0 : exit_code(OutcomeKind::hazard);
}

int cure_a_program(const CureState& state, const std::vector<std::string>& program) {
  if (program.empty()) throw InvalidInput("program", "", "must be followed by a program and its arguments");
  return tell(state, [&](const cure::SearchLimits& limits) {
    cure::ProgramCureOptions options{schedule_list(state.schedules, 1), limits};
    options.rerun = state.rerun;
    options.told = [](const std::string& why) { fmt::print(stderr, "{}\n", why); };
    return cure::cure_program(program, options);
  });
}

// Lines of --output that were there, which `judge` takes with a function for those that are new.
template <class Line, class Read, class Judge>
std::vector<Line> resumed(const CureState& state, Read read, Judge judge) {
  std::vector<Line> known;
  std::unique_ptr<LineFile> file;
  if (!state.output.empty()) {
    file = std::make_unique<LineFile>("output", state.output, ExistingLines::keep);
    for (const std::string& line : file->kept()) known.push_back(read(line));
  }
  const std::vector<Line> lines = judge(known, [&](const Line& line) {
    if (file) file->add(to_line(line));
  });
  if (state.json)
    for (const Line& line : lines) fmt::print("{}\n", to_line(line));
  return lines;
}

int cure_mutants(const CureState& state) {
  const double limit = time_limit(cure::kept_inert_waits()); // before hours of work: the file may be missing
  const auto cures = resumed<cure::MutantCure>(
      state, cure::from_line, [&](const std::vector<cure::MutantCure>& known, const auto& done) {
        const cure::MutantCureOptions options{state.filter, state.most, state.pairs, state.limits, done};
        return state.sources ? cure::cure_source_mutants(options, known) : cure::cure_mutants(options, known);
      });
  if (!state.json) fmt::print("{}{}\n{}\n", as_table(cures, limit), gone_line(cures), closing_line(cures));
  return 0;
}

int measure_inert_waits(const CureState& state) {
  constexpr size_t count = 100;
  const auto waits = resumed<cure::InertWait>(
      state, cure::inert_wait_from_line, [&](const std::vector<cure::InertWait>& known, const auto& done) {
        return cure::measured_inert_waits(state.most > 0 ? state.most : count, known, done);
      });
  if (!state.json) fmt::print("{}\n", text_of(waits));
  return 0;
}

} // namespace

void add_cure_command(Command top, int& exit_code) {
  Command command =
      top.command("cure", "Find the smallest change to a kernel's code that mends what the hazard checks "
                          "find in a case (docs/cures.md)");
  auto state = std::make_shared<CureState>();
  command.option("case", state->text, "Case string");
  command.option("--impl", state->implementation, "Implementation");
  command.option("--mutant", state->mutant,
                 "Changes that its kernel has in any case: option mutant (docs/device.md)");
  command.option("--schedules", state->schedules,
                 "Schedules that a cure is proven under: a number, or their names");
  command.option("--also", state->further,
                 "Case that a cure has to hold on besides, instead of three near the given one");
  command.option("--executions", state->limits.executions,
                 "Runs of the case for a kernel's findings at most; a proof that has begun is ended");
  command.option("--seconds", state->limits.seconds, "Time for a kernel at most");
  command.flag("--too-strong", state->too_strong,
               "Instead tell which waits, barriers and s_nops that were written by hand may go together");
  command.flag("--all", state->all, "With --too-strong: the compiler's, too");
  Option json = command.flag("--json", state->json, "A line of JSON for each finding");
  json.excludes(command.flag("--brief", state->brief, "A line for each finding"));
  add_file_option(
      command, "--write", state->write,
      "Also write the kernel with its cures as an assembly file; one that exists needs --overwrite. Of a "
      "second kernel: FILE.2.s");
  command.flag("--overwrite", state->overwrite, "Replace the file of --write");
  command.flag("--mutants", state->mutants,
               "Instead cure mutants of this project's kernels: how much is found");
  Option pairs = command.flag("--pairs", state->pairs, "With --mutants: two of one kernel at a time");
  Option sources = command.flag(
      "--sources", state->sources,
      "With --mutants: source mutants whose protection is no wait or barrier instead: none is cured");
  Option inert =
      command.flag("--inert", state->inert,
                   "With --mutants: instead what waits for nothing at 100 places cost, or at --most");
  pairs.excludes(sources);
  pairs.excludes(inert);
  sources.excludes(inert);
  Option filter = command.option("--filter", state->filter,
                                 "With --mutants: regular expression over names of code objects and mutants");
  inert.excludes(filter);
  command.option("--most", state->most, "With --mutants: a sample of so many; 0: all");
  command.option("--output", state->output,
                 "With --mutants: file of JSON lines; what is there is not judged again");
  command.flag("--rerun", state->rerun,
               "With program: run all of it anew for each try, instead of its launches");
  Command program_below = command.command(
      "program", "Instead cure the kernels of a program that uses HIP: its name and arguments");
  program_below.takes_the_rest();
  state->external.add(command);
  command.run([state, command, program_below, &exit_code] {
    state->external.use();
    if (program_below.named() + state->mutants + command.given("case") != 1)
      throw InvalidInput("case", state->text, "must be given, or program or --mutants instead");
    for (const char* option : {"--filter", "--most", "--pairs", "--sources", "--inert", "--output"})
      if (command.given(option) && !state->mutants)
        throw InvalidInput(option, "(given)", "goes with --mutants only");
    for (const char* option : {"--write", "--overwrite", "--brief"})
      if (command.given(option) && state->mutants)
        throw InvalidInput(option, "(given)", "goes with a case or a program only");
    if (state->rerun && !program_below.named())
      throw InvalidInput("--rerun", "(given)", "goes with a program only");
    for (const char* option : {"--also", "--mutant"})
      if (command.given(option) && !command.given("case"))
        throw InvalidInput(option, "(given)", "goes with a case only");
    if (command.given("--impl") && !command.given("case"))
      throw InvalidInput("--impl", state->implementation, "goes with a case only");
    if (!(state->limits.seconds > 0)) // nor NaN
      throw InvalidInput("--seconds", fmt::to_string(state->limits.seconds), "must be more than 0");
    if (state->limits.executions == 0 || state->limits.executions > most_executions)
      throw InvalidInput("--executions", fmt::to_string(state->limits.executions),
                         fmt::format("must be 1 to {}", most_executions));
    if (state->too_strong && !command.given("case"))
      throw InvalidInput("--too-strong", "(given)", "goes with a case only");
    if (state->all && !state->too_strong)
      throw InvalidInput("--all", "(given)", "goes with --too-strong only");
    for (const char* option : {"--mutant", "--executions", "--write", "--overwrite", "--brief"})
      if (command.given(option) && state->too_strong)
        throw InvalidInput(option, "(given)", "does not go with --too-strong");
    exit_code = state->too_strong       ? tell_too_strong(*state)
                : state->inert          ? measure_inert_waits(*state)
                : state->mutants        ? cure_mutants(*state)
                : program_below.named() ? cure_a_program(*state, program_below.rest())
                                        : cure_one_case(*state);
  });
}

} // namespace fmha950::harness
