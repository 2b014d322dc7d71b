#include "harness/mutation/changed_case.hpp"

#include "harness/mutation/kernel_list.hpp"
#include "interface/case_keys.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/operator.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

CaseText::CaseText(const std::string& text) {
  const auto parts = case_text::split(text, '/');
  op_ = parts.front();
  for (size_t i = 1; i < parts.size(); ++i) {
    const size_t equals = parts[i].find('=');
    values_[std::string(parts[i].substr(0, equals))] = parts[i].substr(equals + 1);
  }
}

bool CaseText::takes(std::string_view key) const {
  const auto keys = find_operator(op_)->facts().keys.keys;
  return std::ranges::find(keys, key, &case_keys::Key::name) != keys.end();
}

std::string CaseText::value(const std::string& key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? "" : found->second;
}

void CaseText::set(std::string_view key, std::string_view value) {
  if (value.empty())
    values_.erase(std::string(key));
  else
    values_[std::string(key)] = value;
}

std::string CaseText::text() const {
  std::string text = op_;
  for (const auto& [key, value] : values_) text += fmt::format("/{}={}", key, value);
  return text;
}

std::optional<Problem> valid(const std::string& text) {
  try {
    Problem problem = parse_case(placed_case(text).text); // a problem of its own has no place
    problem.op->check(problem);
    return problem;
  } catch (const InvalidInput&) {
    return std::nullopt;
  }
}

} // namespace fmha950::harness
