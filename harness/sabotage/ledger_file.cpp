#include "harness/sabotage/ledger_file.hpp"

#include "interface/error.hpp"

#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>

namespace fmha950::harness {

namespace {

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

} // namespace

LedgerFile::LedgerFile(const std::filesystem::path& path, const std::string& header, bool overwrite)
    : earlier_(overwrite ? SabotageLedger() : read_ledger(path, header)), file_(nullptr, std::fclose) {
  // Whole lines only, under the ledger's name when all of them are there.
  const std::filesystem::path unfinished = path.string() + ".new";
  std::error_code ignored; // the file cannot be opened then
  std::filesystem::create_directories(path.parent_path(), ignored);
  file_.reset(std::fopen(unfinished.c_str(), "w"));
  if (file_ == nullptr) throw InvalidInput("sabotage ledger", path.string(), "cannot be written");
  write_line(header);
  for (const SabotageEntry& entry : earlier_.entries) add(entry);
  std::filesystem::rename(unfinished, path);
}

void LedgerFile::add(const SabotageEntry& entry) { write_line(to_line(entry)); }

void LedgerFile::write_line(const std::string& line) {
  fmt::print(file_.get(), "{}\n", line);
  if (std::fflush(file_.get()) != 0) throw std::runtime_error("the ledger cannot be written");
}

} // namespace fmha950::harness
