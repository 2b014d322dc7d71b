// `probe --mutants`, `--mutants --search` and `--ledger`.
#include "harness/commands/probe_command.hpp"
#include "harness/commands/shared_options.hpp"
#include "harness/mutation/ledger_pages.hpp"
#include "harness/mutation/mutation_run.hpp"
#include "harness/mutation/search_run.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <set>

namespace fmha950::harness {

namespace {

// Those of --page, of --impl, or of both; none: all.
std::optional<std::set<std::string>> chosen_pages(const ProbeState& state) {
  std::set<std::string> pages(state.pages.begin(), state.pages.end());
  if (!pages.empty())
    for (const std::set<std::string> known = page_names(); const std::string& page : pages)
      if (!known.contains(page))
        throw InvalidInput("page", page,
                           "must be a code object or an implementation that has mutants: a row "
                           "of docs/mutants.md");
  if (state.implementation == "auto" || state.implementation == "all")
    return pages.empty() ? std::nullopt : std::optional(pages);
  std::set<std::string> own;
  for (const std::string& name : requested_names(state.implementation))
    own.merge(pages_of_implementation(name));
  if (!pages.empty()) std::erase_if(own, [&](const std::string& page) { return !pages.contains(page); });
  if (own.empty())
    throw InvalidInput("impl", state.implementation,
                       pages.empty() ? "has no mutants (docs/mutants.md has those that have)"
                                     : "has none of the mutants of --page");
  return own;
}

} // namespace

int run_mutants(const ProbeState& state) {
  MutationOptions options{state.filter, state.full ? full_schedules : ci_schedules, {}, {}};
  const bool saves = state.full && state.filter.empty(); // a part of a page's mutants is no ledger
  options.pages = chosen_pages(state);
  if (saves && options.pages && std::ranges::any_of(*options.pages, is_external))
    throw InvalidInput("full", "(given)",
                       "writes the ledger of this project's kernels: leave it out for external ones");
  PageCodes codes;
  if (saves || state.changed) codes = page_codes(options.pages ? *options.pages : page_names());
  if (saves) // of a page that is not judged only the name is asked for: its mutants need not have been built
    for (const std::string& page : page_names()) codes.try_emplace(page);
  if (state.changed) options.standing = Standing(codes, ledger_folders());
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
  if (const auto pages = chosen_pages(state)) options.pages = *pages;
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

int print_ledger(const ProbeState& state) {
  const Ledger ledger = ledger_page(state.ledger, ledger_folders());
  if (state.output.csv || state.output.json)
    throw InvalidInput("ledger", state.ledger,
                       "is printed as text or with --markdown; its CSV is in data/mutants/ledger");
  if (const std::string other = why_not_judged(state.ledger, ledger_folders()); !other.empty()) {
    fmt::print("{}\n0 killed, 0 equivalent, 0 undecided, 0 survived, {} not judged\n", other,
               ledger.entries.size());
    return 0;
  }
  const bool markdown = state.output.form() == OutputForm::markdown;
  fmt::print("{}{}\n", markdown ? as_markdown(ledger) + "\n" : as_table(ledger), ledger.closing_line());
  return 0;
}

} // namespace fmha950::harness
