#include "harness/sabotage/ledger_file.hpp"

#include "interface/case_string.hpp"
#include "interface/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>

namespace fmha950::harness {

namespace {

constexpr const char* field = "sabotage ledger"; // as errors call it

const std::filesystem::path& in_its_folder(const std::filesystem::path& path) {
  std::error_code error; // of a folder that cannot be made: the file in it cannot be written
  std::filesystem::create_directories(path.parent_path(), error);
  return path;
}

constexpr int schema = 2;

std::string header_of(const std::string& list) {
  return nlohmann::ordered_json{{"sabotage", schema}, {"list", list}}.dump();
}

} // namespace

LedgerFile::LedgerFile(const std::filesystem::path& path, const std::string& list,
                       const std::vector<std::string>& cases, bool overwrite)
    : file_(field, in_its_folder(path), overwrite ? ExistingLines::replace : ExistingLines::keep) {
  const std::vector<std::string>& lines = file_.kept();
  const std::string header = header_of(list);
  if (lines.empty()) {
    file_.add(header);
    return;
  }
  const auto refuse = [&](const std::string& why) {
    throw InvalidInput(field, path.string(), why + ": give --overwrite to begin anew");
  };
  if (lines.front() != header) refuse("is of another list of cases");
  std::set<std::string> known; // an entry's case is printed: without what stands at its default
  for (const std::string& text : cases) known.insert(print_case(parse_case(text)));
  for (size_t i = 1; i < lines.size(); ++i) {
    try {
      earlier_.entries.push_back(entry_from(lines[i]));
    } catch (const nlohmann::json::exception& error) {
      throw InvalidInput(field, path.string(), fmt::format("line {} is no entry: {}", i + 1, error.what()));
    }
    if (const std::string& text = earlier_.entries.back().case_string; !known.contains(text))
      refuse(fmt::format("line {} is of {}, which the list does not hold", i + 1, text));
  }
}

} // namespace fmha950::harness
