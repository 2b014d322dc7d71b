#include "harness/cases/case_selection.hpp"

#include "harness/cases/axis.hpp"
#include "interface/case_string.hpp"
#include "interface/regular_file.hpp"
#include "workload/data_directory.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <unordered_set>

namespace fmha950::harness {

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

Shard parse_shard(const std::string& text) {
  if (text.empty()) return {};
  std::smatch match;
  if (std::regex_match(text, match, std::regex("([0-9]{1,6})/([0-9]{1,6})"))) {
    const size_t index = std::stoul(match[1]), count = std::stoul(match[2]);
    if (index >= 1 && index <= count) return {index - 1, count};
  }
  throw InvalidInput("shard", text, "must be i/n with 1 <= i <= n");
}

} // namespace

void CaseSelection::add_options(CLI::App& command) {
  command.add_option("case", cases,
                     "Case strings, for instance batch_prefill/h=6:1/sq=128/sk=1024/kv=fp8/quant=tensor");
  command.add_option("--list", lists, "Named case list: data/cases/NAME (may be repeated)")
      ->allow_extra_args(false);
  command
      .add_option(
          "--axis", axes,
          "KEY=VALUE,VALUE...: each case with each of the values, for instance seed=1,2,3 (may be repeated)")
      ->allow_extra_args(false);
  command.add_option("--filter", filter, "Keep the cases in whose string this regular expression is found");
  command.add_option("--shard", shard, "i/n: every n-th case of what is selected, from the i-th");
}

std::regex compile_filter(const std::string& filter) {
  try {
    return std::regex(filter);
  } catch (const std::regex_error& error) {
    throw InvalidInput("filter", filter,
                       fmt::format("must be an ECMAScript regular expression ({})", error.what()));
  }
}

std::vector<SelectedCase> CaseSelection::select() const {
  std::vector<std::string> texts = cases;
  for (const std::string& list : lists) {
    const std::vector<std::string> lines = read_case_list(list);
    texts.insert(texts.end(), lines.begin(), lines.end());
  }
  for (const std::string& axis : axes) texts = along(parse_axis(axis), texts);
  const std::regex expression = compile_filter(filter);
  std::vector<SelectedCase> selected;
  std::unordered_set<std::string> seen;
  for (const std::string& text : texts) {
    SelectedCase item = parse(text);
    if (std::regex_search(item.text, expression) && seen.insert(item.text).second)
      selected.push_back(std::move(item));
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
