#include "interface/case_string.hpp"

#include "interface/case_keys.hpp"
#include "interface/error.hpp"
#include "interface/operator.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <set>

namespace fmha950 {
namespace case_keys {

void require_count(std::string_view key, const std::vector<int>& lengths, size_t count,
                   std::string_view things) {
  if (lengths.size() != 1 && lengths.size() != count)
    throw InvalidInput(
        std::string(key), fmt::format("{}", fmt::join(lengths, ",")),
        fmt::format("has {} lengths for {} {}, must be 1 or {}", lengths.size(), count, things, count));
}

} // namespace case_keys

namespace {

using namespace case_keys;

const Key& find_key(const Operator& op, std::string_view name) {
  std::vector<std::string_view> known;
  for (const Key& key : op.facts().keys.keys) {
    if (key.name == name) return key;
    known.push_back(key.name);
  }
  throw InvalidInput("case string key", std::string(name),
                     fmt::format("is none of {}, must be one of {}", op.name(), fmt::join(known, ", ")));
}

} // namespace

Problem parse_case(std::string_view text) {
  const auto parts = case_text::split(text, '/');
  const Operator& op = *OperatorName(parts[0]);
  const OperatorKeys& keys = op.facts().keys;
  Draft draft;
  draft.problem.op = OperatorName(op.name());
  std::set<std::string_view> seen;
  for (std::string_view part : std::span(parts).subspan(1)) {
    const size_t equals = part.find('=');
    if (equals == part.npos) throw InvalidInput("case string part", std::string(part), "must be key=value");
    const Key& key = find_key(op, part.substr(0, equals));
    const std::string_view value = part.substr(equals + 1);
    if (!seen.insert(key.name).second)
      throw InvalidInput(std::string(key.name), std::string(value), "is given twice, must be given once");
    if (!key.read(value, draft))
      throw InvalidInput(std::string(key.name), std::string(value), std::string(key.expected));
  }
  for (const std::string_view key : keys.required)
    if (!seen.contains(key)) throw InvalidInput("case string key", std::string(key), "is missing");
  keys.complete(draft);
  return draft.problem;
}

std::string print_case(const Problem& problem) {
  std::string text{name_of(problem.op)};
  for (const Key& key : problem.op->facts().keys.keys)
    if (const std::string value = key.print(problem); !value.empty())
      text += fmt::format("/{}={}", key.name, value);
  return text;
}

} // namespace fmha950
