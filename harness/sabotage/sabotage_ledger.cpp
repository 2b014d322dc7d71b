#include "harness/sabotage/sabotage_ledger.hpp"

#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/operator.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace fmha950::harness {

namespace {

constexpr SabotageVerdict verdicts[] = {SabotageVerdict::caught, SabotageVerdict::missed,
                                        SabotageVerdict::below_sensitivity, SabotageVerdict::without_effect};

SabotageVerdict verdict_of(const std::string& name) {
  for (const SabotageVerdict verdict : verdicts)
    if (name_of(verdict) == name) return verdict;
  throw nlohmann::json::other_error::create(0, "verdict " + name + " is none", nullptr);
}

} // namespace

std::string_view name_of(SabotageVerdict verdict) {
  switch (verdict) {
  case SabotageVerdict::caught: return "caught";
  case SabotageVerdict::missed: return "missed";
  case SabotageVerdict::below_sensitivity: return "below sensitivity";
  case SabotageVerdict::without_effect: return "without effect";
  }
  return "";
}

int64_t SabotageLedger::count(SabotageVerdict verdict) const {
  return std::ranges::count(entries, verdict, &SabotageEntry::verdict);
}

std::string SabotageLedger::closing_line() const {
  std::vector<std::string> counts;
  for (const SabotageVerdict verdict : verdicts)
    counts.push_back(fmt::format("{} {}", count(verdict), name_of(verdict)));
  return fmt::format("{}", fmt::join(counts, ", "));
}

std::vector<std::string> SabotageLedger::kinds_with_fewer(int64_t certain) const {
  std::map<std::string, int64_t> counts;
  for (const SabotageEntry& entry : entries)
    counts[entry.kind] +=
        entry.verdict == SabotageVerdict::caught || entry.verdict == SabotageVerdict::missed;
  std::vector<std::string> kinds;
  for (const auto& [kind, count] : counts)
    if (count < certain) kinds.push_back(fmt::format("{} ({})", kind, count));
  return kinds;
}

std::vector<std::string> SabotageLedger::kinds_never_caught() const {
  std::map<std::pair<std::string, int>, int64_t> caught;
  std::map<std::string, std::set<std::string_view>> operators_of_kind;
  std::map<std::string_view, std::map<int, int>> keys_of_size; // of an operator's cases
  for (const SabotageEntry& entry : entries) {
    const Problem problem = parse_case(entry.case_string);
    int keys = 0;
    for (const Request& request : problem.requests) keys = std::max(keys, request.key_length);
    const int size = std::ilogb(std::max(keys, 1));
    const std::string_view op = problem.op->name(); // the operator's own text: the problem's does not last
    keys_of_size[op].try_emplace(size, keys);
    // An operator in which a kind has no effect at all does without it: merge has no softmax scale.
    if (entry.verdict != SabotageVerdict::without_effect) operators_of_kind[entry.kind].insert(op);
    caught[{entry.kind, size}] += entry.verdict == SabotageVerdict::caught;
  }
  std::vector<std::string> never;
  for (const auto& [kind, operators] : operators_of_kind) {
    std::map<int, int> sizes; // that some operator with this kind has
    for (const std::string_view op : operators)
      sizes.insert(keys_of_size[op].begin(), keys_of_size[op].end());
    for (const auto& [size, keys] : sizes)
      if (caught[{kind, size}] == 0) never.push_back(fmt::format("{} ({} keys)", kind, keys));
  }
  return never;
}

std::string to_line(const SabotageEntry& entry) {
  nlohmann::ordered_json json{
      {"case", entry.case_string},
      {"implementation", entry.implementation},
      {"kind", entry.kind},
      {"place", entry.place},
      {"verdict", name_of(entry.verdict)},
      {"z", std::isfinite(entry.z) ? nlohmann::ordered_json(std::round(entry.z * 100) / 100) : "inf"},
      {"seen_by", entry.seen_by},
      {"noticed", entry.noticed},
      {"reason", entry.reason}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

SabotageEntry entry_from(const std::string& line) {
  const auto json = nlohmann::json::parse(line);
  const auto& z = json.at("z");
  return {json.at("case"),
          json.at("implementation"),
          json.at("kind"),
          json.at("place"),
          verdict_of(json.at("verdict")),
          z.is_string() ? std::numeric_limits<double>::infinity() : z.get<double>(),
          json.at("seen_by"),
          json.at("reason"),
          json.at("noticed")};
}

std::string as_table(const SabotageLedger& ledger) {
  struct Row {
    int64_t caught = 0, missed = 0, below = 0, below_noticed = 0, without = 0;
    double least = std::numeric_limits<double>::infinity();
  };
  std::map<std::string, Row> rows;
  for (const SabotageEntry& entry : ledger.entries) {
    Row& row = rows[entry.kind];
    row.caught += entry.verdict == SabotageVerdict::caught;
    row.missed += entry.verdict == SabotageVerdict::missed;
    row.below += entry.verdict == SabotageVerdict::below_sensitivity;
    row.below_noticed += entry.verdict == SabotageVerdict::below_sensitivity && entry.noticed;
    row.without += entry.verdict == SabotageVerdict::without_effect;
    if (entry.verdict == SabotageVerdict::caught) row.least = std::min(row.least, entry.z);
  }
  std::string text =
      fmt::format("{:<26} {:>6} {:>6} {:>17} {:>12} {:>14} {:>12}\n", "defect", "caught", "missed",
                  "below sensitivity", "yet noticed", "without effect", "least z seen");
  for (const auto& [kind, row] : rows)
    text += fmt::format("{:<26} {:>6} {:>6} {:>17} {:>12} {:>14} {:>12}\n", kind, row.caught, row.missed,
                        row.below, row.below_noticed, row.without,
                        row.caught > 0 ? fmt::format("{:.1f}", row.least) : "-");
  return text;
}

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
