#include "harness/cases/case_selection.hpp"

#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/regular_file.hpp"
#include "workload/data_directory.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <unordered_set>

namespace fmha950::harness {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::string with(const std::string& text, const std::string& key, const std::string& value) {
  std::string changed;
  for (const std::string& part : split(text, '/'))
    if (!part.starts_with(key + "=")) changed += part + "/";
  return changed + key + "=" + value;
}

} // namespace

Axis parse_axis(const std::string& text) {
  const size_t equals = text.find('=');
  Axis axis{text.substr(0, equals),
            equals == text.npos ? std::vector<std::string>{} : split(text.substr(equals + 1), ',')};
  const bool lists = axis.key == "sq" || axis.key == "sk" || axis.key == "trace";
  if (axis.key.empty() || axis.values.empty() || lists)
    throw InvalidInput(
        "axis", text, "must be KEY=VALUE[,VALUE...] of a key of the case string other than sq, sk and trace");
  return axis;
}

std::vector<std::string> along(const Axis& axis, const std::vector<std::string>& cases) {
  std::vector<std::string> all;
  for (const std::string& text : cases)
    for (const std::string& value : axis.values) all.push_back(with(text, axis.key, value));
  return all;
}

namespace {

std::string trimmed(std::string line) {
  line.erase(std::find(line.begin(), line.end(), '#'), line.end());
  constexpr const char* blank = " \t\r";
  const size_t begin = line.find_first_not_of(blank);
  if (begin == std::string::npos) return "";
  return line.substr(begin, line.find_last_not_of(blank) - begin + 1);
}

SelectedCase parse(const std::string& text) {
  try {
    Problem problem = parse_case(text);
    return {print_case(problem), std::move(problem), std::nullopt};
  } catch (const InvalidInput& error) {
    return {text, std::nullopt, error};
  }
}

struct Shard {
  size_t index = 0, count = 1;
};

// 0 for what is not one to six digits.
size_t small_number(const std::string& text) {
  const bool digits = text.find_first_not_of("0123456789") == text.npos;
  return digits && !text.empty() && text.size() <= 6 ? std::stoul(text) : 0;
}

Shard parse_shard(const std::string& text) {
  if (text.empty()) return {};
  if (const size_t slash = text.find('/'); slash != text.npos) {
    const size_t index = small_number(text.substr(0, slash)), count = small_number(text.substr(slash + 1));
    if (index >= 1 && index <= count) return {index - 1, count};
  }
  throw InvalidInput("shard", text, "must be i/n with 1 <= i <= n");
}

} // namespace

std::vector<SelectedCase> CaseSelection::select() const {
  std::vector<std::string> texts = cases;
  for (const std::string& list : lists) {
    const std::vector<std::string> lines = read_case_list(list);
    texts.insert(texts.end(), lines.begin(), lines.end());
  }
  for (const std::string& axis : axes) texts = along(parse_axis(axis), texts);
  const NameFilter wanted(filter);
  std::vector<SelectedCase> selected;
  std::unordered_set<std::string> seen;
  for (const std::string& text : texts) {
    SelectedCase item = parse(text);
    if (wanted.finds(item.text) && seen.insert(item.text).second) selected.push_back(std::move(item));
  }
  const Shard part = parse_shard(shard);
  std::vector<SelectedCase> kept;
  for (size_t i = part.index; i < selected.size(); i += part.count) kept.push_back(std::move(selected[i]));
  return kept;
}

std::filesystem::path case_list_directory() { return workload::data_directory() / "cases"; }

std::vector<std::string> case_list_names() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(case_list_directory(), error))
    if (entry.is_regular_file()) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> read_case_list(const std::string& name) {
  if (!name.empty()) require_regular_file("list", case_list_directory() / name);
  std::ifstream file(case_list_directory() / name);
  if (name.empty() || !file)
    throw InvalidInput("list", name,
                       fmt::format("must be a file of {}: {}", case_list_directory().string(),
                                   fmt::join(case_list_names(), ", ")));
  std::vector<std::string> cases;
  for (std::string line; std::getline(file, line);)
    if (std::string text = trimmed(line); !text.empty()) cases.push_back(std::move(text));
  return cases;
}

} // namespace fmha950::harness
