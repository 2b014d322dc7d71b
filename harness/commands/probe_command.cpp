// `probe`: runs the probes of harness/probe, once with the accuracy rule or under many schedules,
// or those of harness/instruction.
#include "harness/commands/case_loop.hpp"
#include "harness/commands/commands.hpp"
#include "harness/commands/shared_options.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/device/variation.hpp"
#include "harness/instruction/instruction_run.hpp"
#include "harness/mutation/ledger_pages.hpp"
#include "harness/mutation/mutation_run.hpp"
#include "harness/mutation/search_run.hpp"
#include "harness/mutation/source_mutants.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/permutation_table.hpp"
#include "harness/probe/probe.hpp"
#include "harness/probe/probe_runner.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "harness/sabotage/sabotage_run.hpp"
#include "interface/error.hpp"
#include "interface/installation.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <memory>
#include <optional>

namespace fmha950::harness {

namespace {

struct ProbeState {
  std::string implementation = "auto", filter, schedules, check, stop, mutant;
  uint64_t seed = 1;
  bool list = false, table = false, mutants = false, sabotage = false, full = false, changed = false,
       search = false, write = false;
  size_t tries = SearchOptions().tries;
  std::vector<std::string> pages;
  std::string ledger;
  AccuracyOptions options;
  MemoryLimit memory_limit;
  OutputOptions output;

  bool probes_instructions() const { return options.variations.mfma == std::vector<std::string>{""}; }

  std::string arguments() const { // as on the command line, but for those that select
    std::string text = check.empty() ? "" : " --check " + check;
    if (!mutant.empty()) text += " --mutant " + mutant;
    if (!options.variations.mfma.empty())
      text += fmt::format(" --mfma {}", fmt::join(options.variations.mfma, ","));
    return text;
  }
};

CaseItem item_of(const Probe& probe) {
  return {"", fmt::format("--filter '^{}$'", probe.name), probe.name, [&probe] { return probe.problem; },
          [&probe](const Problem&) { return make_tensors(probe); }};
}

template <class AnyProbe> int list_probes(const std::vector<AnyProbe>& probes) {
  for (const AnyProbe& probe : probes) fmt::print("{}  {}\n", probe.name, probe.reason);
  return 0;
}

int run_probes(const ProbeState& state, CaseLoop loop, const std::vector<CaseItem>& items,
               const std::vector<Probe>& probes) {
  require_valid(state.options.variations);
  std::map<std::string_view, ProbeRunner> runners; // by implementation
  PermutationTable table;
  if (state.table && state.output.resume)
    throw InvalidInput("--table", "with --resume",
                       "is of what this run computes, and --resume computes less");
  if (state.table) loop.epilogue = [&](std::FILE* out) { table.print(out); };
  return loop.run(items, [&](size_t index, const PreparedCase& prepared) {
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

int sweep_probes(const ProbeState& state, CaseLoop loop, const std::vector<CaseItem>& items) {
  const std::string of_sweep = fmt::format(" --schedules {} --seed {}", state.schedules, state.seed);
  loop.arguments += of_sweep;
  const std::vector<std::string> schedules = schedule_list(state.schedules, state.seed);
  if (hip::api().SetOption != nullptr) // refused here, not in every probe
    for (const std::string& schedule : schedules) set_option("schedule", schedule);
  return loop.run(items, [&](size_t, const PreparedCase&) {
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

std::set<std::string> known_pages(const std::vector<std::string>& names, const PageCodes& codes) {
  for (const std::string& name : names)
    if (!codes.contains(name))
      throw InvalidInput("page", name,
                         "must be a code object or an implementation that has mutants: a row "
                         "of docs/mutants.md");
  return {names.begin(), names.end()};
}

int run_mutants(const ProbeState& state) {
  MutationOptions options{state.filter, state.full ? full_schedules : ci_schedules, {}, {}};
  const bool saves = state.full && state.filter.empty(); // a part of a page's mutants is no ledger
  const PageCodes codes = saves || state.changed || !state.pages.empty() ? page_codes() : PageCodes{};
  if (state.changed) options.standing = Standing(codes, ledger_folders());
  if (!state.pages.empty()) options.pages = known_pages(state.pages, codes);
  const Ledger ledger = judge_mutants(options);
  fmt::print("{}", as_table(ledger));
  if (state.changed)
    fmt::print("{} of {} mutants stand as the ledger has them\n",
               std::ranges::count_if(ledger.entries, &LedgerEntry::stands), ledger.entries.size());
  if (saves) save_ledger(ledger, codes, ledger_folders());
  fmt::print("{}\n", ledger.closing_line());
  return ledger.sound() ? 0 : exit_code(OutcomeKind::hazard);
}

int run_search(const ProbeState& state) {
  SearchOptions options{state.filter, {}, state.seed, state.tries};
  if (!state.pages.empty()) options.pages = {state.pages.begin(), state.pages.end()};
  const auto searches = search_all(options, ledger_folders());
  fmt::print("{}", as_text(searches));
  if (state.write)
    for (const KernelSearch& done : searches)
      if (!done.kernel.problems.empty())
        add_problems(
            kernel_list(), done.kernel,
            fmt::format("found by probe --mutants --search --seed {} --tries {}", state.seed, state.tries));
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

// "", or why the ledger's page says nothing of this binary.
std::string is_other_code(const std::string& page) {
  try {
    return not_judged(page, page_code(page), ledger_folders());
  } catch (const InvalidInput&) { // its source mutants have not been built: there is nothing to compare
    return "";
  }
}

int print_ledger(const ProbeState& state) {
  const Ledger ledger = ledger_page(state.ledger, ledger_folders());
  if (state.output.csv || state.output.json)
    throw InvalidInput("ledger", state.ledger,
                       "is printed as text or with --markdown; its CSV is in data/mutants/ledger");
  if (const std::string other = is_other_code(state.ledger); !other.empty()) {
    fmt::print("{}\n0 killed, 0 equivalent, 0 undecided, 0 survived, {} not judged\n", other,
               ledger.entries.size());
    return 0;
  }
  const bool markdown = state.output.form() == OutputForm::markdown;
  fmt::print("{}{}\n", markdown ? as_markdown(ledger) + "\n" : as_table(ledger), ledger.closing_line());
  return 0;
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

int run(const ProbeState& state) {
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
  const std::vector<Probe> probes = select_probes(all_probes(), filter);
  if (state.list) return list_probes(probes);
  break_at(state.stop);
  std::optional<hip::CodeObjectOverride> stands_in;
  if (!state.mutant.empty()) {
    const SourceMutant mutant = mutant_named(mutant_folder() / state.implementation, state.mutant);
    stands_in.emplace(mutant.code_object, code_of(mutant));
  }
  apply({.schedule = "", .threads = "", .mfma = "", .check = default_check(state)});
  std::vector<CaseItem> items;
  for (const Probe& probe : probes) items.push_back(item_of(probe));
  const CaseLoop loop{.command = "probe",
                      .implementation = state.implementation,
                      .arguments = state.arguments(),
                      .output = state.output,
                      .memory_limit = state.memory_limit,
                      .use = {.judged = !sweeps},
                      .stop_at_failure = sweeps};
  return sweeps ? sweep_probes(state, loop, items) : run_probes(state, loop, items, probes);
}

} // namespace

void add_probe_command(Command program, int& exit_code) {
  auto state = std::make_shared<ProbeState>();
  Command command =
      program.command("probe", "Run problems built so that one kind of mistake cannot hide (docs/probes.md)");
  command.option("--impl", state->implementation, "Implementation: a name, all, or auto").show_default();
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
