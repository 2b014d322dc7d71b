// `probe`: runs the probes of harness/probe, once with the accuracy rule or under many schedules,
// or those of harness/instruction.
#include "harness/commands/probe_command.hpp"
#include "harness/commands/commands.hpp"
#include "harness/commands/shared_options.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/device/variation.hpp"
#include "harness/instruction/instruction_probe.hpp"
#include "harness/mutation/source_mutants.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/probe.hpp"
#include "harness/sabotage/saboteur.hpp"
#include "interface/error.hpp"
#include "interface/installation.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <memory>
#include <optional>

namespace fmha950::harness {

namespace {

template <class AnyProbe> int list_probes(const std::vector<AnyProbe>& probes) {
  for (const AnyProbe& probe : probes) fmt::print("{}  {}\n", probe.name, probe.reason);
  return 0;
}

// What the device checks unless it is told: everything, but a sweep compares bits and is there to be quick.
std::string default_check(const ProbeState& state) {
  const bool told = !state.check.empty() || std::getenv("FMHA950_CHECK") != nullptr;
  return told || !state.schedules.empty() || hip::api().Hazards == nullptr ? state.check : "all";
}

int run_instruction_probes(const ProbeState& state) {
  const bool problems_only = state.implementation != "auto" || !state.schedules.empty() || state.table ||
                             state.mutants || state.output.form() != OutputForm::table ||
                             !state.output.file.empty();
  if (problems_only)
    throw InvalidInput("mfma", "(no forms)",
                       "takes only --filter, --list-probes, --check and --break beside it: instructions have "
                       "no implementation, and their results are a table");
  const auto probes = select_probes(instruction::all_instruction_probes(), state.filter);
  if (state.list) return list_probes(probes);
  break_at(state.stop);
  apply({.schedule = "", .threads = "", .mfma = "", .check = default_check(state)});
  return instruction::run_instruction_probes(probes);
}

void refuse_records(const OutputOptions& output) {
  constexpr const char* none = "is for records, and --mutants and --sabotage make none";
  if (!output.file.empty()) throw InvalidInput("output", output.file, none);
  for (const auto& [flag, given] :
       {std::pair("csv", output.csv), {"json", output.json}, {"markdown", output.markdown}})
    if (given) throw InvalidInput(flag, "(given)", none);
  if (output.resume) throw InvalidInput("resume", "(given)", none);
}

void require_options(const ProbeState& state) {
  const bool builds = state.mutants || !state.mutant.empty() || (state.sabotage && state.full);
  if (builds && !installed_share().empty())
    throw InvalidInput(
        state.sabotage ? "sabotage" : "mutants", "(given)",
        "needs a checkout: it builds variants of kernels, or writes the project's ledgers; this is an "
        "installation");
  const bool judges = state.mutants || state.sabotage;
  if (state.full && !judges) throw InvalidInput("full", "(given)", "needs --mutants or --sabotage");
  if (judges && !state.schedules.empty())
    throw InvalidInput("schedules", state.schedules, "is for probes; --mutants and --sabotage choose theirs");
  if (judges) refuse_records(state.output);
}

// What `auto` chooses depends on the LSE as on all else: it is asked for it.
void ask_of(const std::vector<std::string>& names, std::vector<Probe>& probes) {
  if (names == std::vector<std::string>{"auto"}) return;
  std::vector<const Implementation*> implementations;
  for (const std::string& name : names) implementations.push_back(&find_implementation(name));
  for (Probe& probe : probes) probe = asked_of(implementations, std::move(probe));
}

int run(const ProbeState& state) {
  state.external.use(state.implementation, "all");
  if (!state.ledger.empty()) return print_ledger(state);
  requested_names(state.implementation); // refused here, even where it is not asked for
  require_options(state);
  if (state.probes_instructions()) return run_instruction_probes(state);
  if (state.search) return run_search(state);
  if (state.mutants) return run_mutants(state);
  if (state.sabotage)
    return run_sabotage({.implementation = state.implementation == "auto" ? "all" : state.implementation,
                         .filter = state.filter,
                         .full = state.full,
                         .overwrite = state.output.overwrite,
                         .memory = state.memory_limit});
  const bool sweeps = !state.schedules.empty();
  const std::string filter = sweeps && state.filter.empty() ? filter_of_sweeps() : state.filter;
  std::vector<Probe> probes = select_probes(all_probes(), filter);
  if (state.list) return list_probes(probes);
  ask_of(requested_names(state.implementation), probes);
  break_at(state.stop);
  std::optional<hip::CodeObjectOverride> stands_in;
  if (!state.mutant.empty()) {
    const SourceMutant mutant = mutant_named(mutant_folder() / state.implementation, state.mutant);
    stands_in.emplace(mutant.code_object, code_of(mutant));
  }
  apply({.schedule = "", .threads = "", .mfma = "", .check = default_check(state)});
  const CaseLoop loop{.command = "probe",
                      .implementation = state.implementation,
                      .arguments = state.arguments(),
                      .output = state.output,
                      .memory_limit = state.memory_limit,
                      .use = {.judged = !sweeps},
                      .stop_at_failure = sweeps};
  return sweeps ? sweep_probes(state, loop, probes) : run_probes(state, loop, probes);
}

} // namespace

void add_probe_command(Command program, int& exit_code) {
  auto state = std::make_shared<ProbeState>();
  Command command =
      program.command("probe", "Run problems built so that one kind of mistake cannot hide (docs/probes.md)");
  command.option("--impl", state->implementation, "Implementation: a name, all, or auto").show_default();
  state->external.add(command);
  command.option("--filter", state->filter,
                 "Keep the probes in whose name this regular expression is found (a sweep without one "
                 "takes those of one form of the cache)");
  command.flag("--list-probes", state->list, "Print name and reason of each probe instead of running it");
  command.option("--schedules", state->schedules,
                 "Compare bits under many schedules of the embedded device instead of judging accuracy: how "
                 "many, or which, comma-separated, '+' joining memory and waves: eager,lazy+starve:3");
  command.flag("--table", state->table,
               "Above the closing line, the page permutations as one table: a row per list of pages");
  command.option("--seed", state->seed, "First seed of the random schedules, or the seed of --search")
      .show_default();
  command.option("--check", state->check,
                 "Hazard checks of the embedded device (docs/hazards.md): all (the default but in "
                 "sweeps), none, or names");
  command
      .option("--mfma", state->options.variations.mfma,
              "Forms of MFMA arithmetic, comma-separated: fma,fdpa. Without any: probe the matrix "
              "instructions and LDS DMA themselves, in a table")
      .comma_separated()
      .values(0, -1);
  command.option("--break", state->stop, break_help);
  const Option mutant = command.option("--mutant", state->mutant,
                                       "Run this source mutant of the implementation instead of its kernel");
  const Option mutants = command.flag(
      "--mutants", state->mutants,
      "Judge mutants instead: every protection of the kernels removed, one at a time (docs/mutants.md)");
  mutants.excludes(mutant);
  command
      .flag("--sabotage", state->sabotage,
            "Judge the judges: run cases with one thing wrong on purpose (docs/sabotage.md)")
      .excludes(mutants);
  command.flag(
      "--full", state->full,
      "With --mutants: 20 schedules instead of 4; without a --filter the ledger is written to "
      "data/mutants and docs/mutants.md. With --sabotage: the whole list, its ledger in data/sabotage, which "
      "goes on "
      "with what it holds unless --overwrite is given");
  command
      .option("--page", state->pages,
              "With --mutants: only these code objects and implementations, comma-separated")
      .comma_separated()
      .one_value_each()
      .needs(mutants);
  command
      .option("--ledger", state->ledger,
              "Print the ledger of a code object or an implementation, a row of docs/mutants.md, instead")
      .excludes(mutants);
  command
      .flag("--changed", state->changed,
            "With --mutants: only those whose judgement in docs/mutants.md does not stand: of other code, or "
            "not noticed before a problem was added")
      .needs(mutants);
  const Option search =
      command
          .flag(
              "--search", state->search,
              "With --mutants: look for small problems that kill what the ledger holds to be undecided, and "
              "print them as lines of data/mutants/kernels.txt")
          .needs(mutants);
  command.option("--tries", state->tries, "Problems that --search runs for each kernel").show_default();
  command.flag("--write", state->write, "With --search: add the lines to data/mutants/kernels.txt")
      .needs(search);
  add_options(command, state->memory_limit);
  add_options(command, state->output);
  command.run([state, &exit_code] { exit_code = run(*state); });
}

} // namespace fmha950::harness
