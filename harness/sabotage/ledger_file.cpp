#include "harness/sabotage/ledger_file.hpp"

#include "interface/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fmha950::harness {

namespace {

constexpr const char* field = "sabotage ledger"; // as errors call it

const std::filesystem::path& in_its_folder(const std::filesystem::path& path) {
  std::error_code error; // of a folder that cannot be made: the file in it cannot be written
  std::filesystem::create_directories(path.parent_path(), error);
  return path;
}

} // namespace

LedgerFile::LedgerFile(const std::filesystem::path& path, const std::string& header, bool overwrite)
    : file_(field, in_its_folder(path), overwrite ? ExistingLines::replace : ExistingLines::keep) {
  const std::vector<std::string>& lines = file_.kept();
  if (lines.empty()) {
    file_.add(header);
    return;
  }
  if (lines.front() != header)
    throw InvalidInput(field, path.string(), "is of another list of cases: give --overwrite to begin anew");
  for (size_t i = 1; i < lines.size(); ++i) try {
      earlier_.entries.push_back(entry_from(lines[i]));
    } catch (const nlohmann::json::exception& error) {
      throw InvalidInput(field, path.string(), fmt::format("line {} is no entry: {}", i + 1, error.what()));
    }
}

} // namespace fmha950::harness
