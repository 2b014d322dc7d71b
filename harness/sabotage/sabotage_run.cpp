#include "harness/sabotage/sabotage_run.hpp"

#include "harness/cases/case_selection.hpp"
#include "harness/sabotage/saboteur.hpp"
#include "interface/error.hpp"
#include "interface/outcome.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

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

// A torn last line, of a run that was interrupted, is dropped.
SabotageLedger read_ledger(const std::filesystem::path& path, const std::string& expected_header) {
  SabotageLedger ledger;
  std::ifstream file(path);
  std::string line;
  if (!std::getline(file, line)) return ledger;
  if (line != expected_header)
    throw InvalidInput("sabotage ledger", path.string(),
                       "is of another list of cases: give --overwrite to begin anew");
  while (std::getline(file, line)) try {
      ledger.entries.push_back(entry_from(line));
    } catch (const nlohmann::json::exception&) {
      fmt::print(stderr, "{}: a line that is none was dropped\n", path.string());
    }
  return ledger;
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

void write_line(const File& file, const std::string& line) {
  fmt::print(file.get(), "{}\n", line);
  if (std::fflush(file.get()) != 0) throw std::runtime_error("the ledger cannot be written");
}

File write_ledger(const std::filesystem::path& path, const std::string& first, const SabotageLedger& ledger) {
  std::filesystem::create_directories(path.parent_path());
  File file(std::fopen(path.c_str(), "w"), std::fclose);
  if (file == nullptr) throw InvalidInput("sabotage ledger", path.string(), "cannot be written");
  write_line(file, first);
  for (const SabotageEntry& entry : ledger.entries) write_line(file, to_line(entry));
  return file;
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
  File file(nullptr, std::fclose);
  if (command.full) {
    const std::string first = header(options.list);
    if (!command.overwrite) ledger = read_ledger(sabotage_ledger_file(), first);
    file = write_ledger(sabotage_ledger_file(), first, ledger);
    for (const SabotageEntry& entry : ledger.entries) options.done.insert(entry.key());
  }
  sabotage(options, [&](const SabotageEntry& entry) {
    if (file != nullptr) write_line(file, to_line(entry));
    if (entry.verdict != SabotageVerdict::without_effect) fmt::print("{}", as_text(entry));
    std::fflush(stdout);
    ledger.entries.push_back(entry);
  });
  fmt::print("\n{}{}\n", as_table(ledger), ledger.closing_line());
  return ledger.count(SabotageVerdict::missed) == 0 ? 0 : exit_code(OutcomeKind::inaccurate);
}

} // namespace fmha950::harness
