
#include "harness/cases/case_selection.hpp"
#include "harness/sabotage/expected_z.hpp"
#include "harness/sabotage/sabotage_ledger.hpp"
#include "harness/sabotage/saboteur.hpp"
#include "interface/error.hpp"
#include "interface/installation.hpp"
#include "interface/outcome.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <optional>
#include <vector>

namespace fmha950::harness {

namespace {

// A verdict on the judges needs some of each kind that they should see.
constexpr int64_t fewest_of_kind = 30;
bool whole(const SabotageCommand& command) {
  return command.full && command.filter.empty() && command.implementation == "all";
}

std::string as_text(const SabotageEntry& entry) {
  return fmt::format("{:<17} z {:>9.1f} {:<10} {:<24} {:<16} {} ({})\n", name_of(entry.verdict), entry.z,
                     entry.seen_by, entry.kind, entry.implementation, entry.case_string, entry.place);
}

} // namespace

std::filesystem::path sabotage_ledger_file() { return project_path("data/sabotage/ledger.jsonl"); }

int run_sabotage(const SabotageCommand& command) {
  SabotageOptions options{
      command.full ? "sabotage" : "sabotage-ci", command.implementation, command.filter, {}, command.memory};
  SabotageLedger ledger;
  std::optional<LedgerFile> file;
  if (command.full) {
    file.emplace(sabotage_ledger_file(), options.list, read_case_list(options.list), command.overwrite);
    ledger = file->earlier();
    for (const SabotageEntry& entry : ledger.entries) options.done.insert(entry.key());
  }
  sabotage(options, [&](const SabotageEntry& entry) {
    if (file) file->add(entry);
    if (entry.verdict != SabotageVerdict::without_effect) fmt::print("{}", as_text(entry));
    std::fflush(stdout);
    ledger.entries.push_back(entry);
  });
  if (ledger.entries.empty())
    throw InvalidInput("filter", command.filter, "must match a mistake in one of the cases; it matches none");
  fmt::print("\n{}{}\n", as_table(ledger), ledger.closing_line());
  std::vector<std::string> few, never;
  if (whole(command)) {
    few = ledger.kinds_with_fewer(fewest_of_kind);
    never = ledger.kinds_never_caught();
  }
  if (!few.empty())
    fmt::print("fewer than {} with z >= {}: {}\n", fewest_of_kind, certain_z, fmt::join(few, ", "));
  if (!never.empty()) fmt::print("never caught: {}\n", fmt::join(never, ", "));
  return ledger.count(SabotageVerdict::missed) == 0 && few.empty() && never.empty()
             ? 0
             : exit_code(OutcomeKind::inaccurate);
}

} // namespace fmha950::harness
