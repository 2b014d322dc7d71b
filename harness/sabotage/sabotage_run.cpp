#include "harness/sabotage/sabotage_run.hpp"

#include "harness/cases/case_selection.hpp"
#include "harness/sabotage/ledger_file.hpp"
#include "harness/sabotage/saboteur.hpp"
#include "interface/outcome.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace fmha950::harness {

namespace {

constexpr int schema = 1;

std::string header(const std::string& list) {
  size_t digest = 0;
  for (const std::string& text : read_case_list(list)) digest = digest * 31 + std::hash<std::string>{}(text);
  return nlohmann::ordered_json{
      {"sabotage", schema}, {"list", list}, {"digest", fmt::format("{:016x}", digest)}}
      .dump();
}

std::string as_text(const SabotageEntry& entry) {
  return fmt::format("{:<17} z {:>9.1f} {:<10} {:<24} {:<16} {} ({})\n", name_of(entry.verdict), entry.z,
                     entry.seen_by, entry.kind, entry.implementation, entry.case_string, entry.place);
}

} // namespace

std::filesystem::path sabotage_ledger_file() { return FMHA950_SOURCE_DIR "/data/sabotage/ledger.jsonl"; }

int run_sabotage(const SabotageCommand& command) {
  SabotageOptions options{
      command.full ? "sabotage" : "sabotage-ci", command.implementation, command.filter, {}};
  SabotageLedger ledger;
  std::optional<LedgerFile> file;
  if (command.full) {
    file.emplace(sabotage_ledger_file(), header(options.list), command.overwrite);
    ledger = file->earlier();
    for (const SabotageEntry& entry : ledger.entries) options.done.insert(entry.key());
  }
  sabotage(options, [&](const SabotageEntry& entry) {
    if (file) file->add(entry);
    if (entry.verdict != SabotageVerdict::without_effect) fmt::print("{}", as_text(entry));
    std::fflush(stdout);
    ledger.entries.push_back(entry);
  });
  fmt::print("\n{}{}\n", as_table(ledger), ledger.closing_line());
  return ledger.count(SabotageVerdict::missed) == 0 ? 0 : exit_code(OutcomeKind::inaccurate);
}

} // namespace fmha950::harness
