#include "emulator/observe/report/baseline.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fmha950::observe {

bool Baseline::parse(std::string_view text, Baseline& baseline, std::string& error) {
  using nlohmann::json;
  Baseline parsed;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.empty()) continue;
    const json value = json::parse(line, nullptr, false);
    if (!value.is_object() || value.value("schema", json()) != findings_schema || !value.contains("pairs") ||
        !value["pairs"].is_array()) {
      error = fmt::format("line {}: must be a finding of schema {}, as FMHA950_REPORT=FILE.jsonl writes it",
                          number, findings_schema);
      return false;
    }
    for (const json& pair : value["pairs"]) {
      const json cause = pair.value("cause", json()), severity = pair.value("severity", json());
      if (!cause.is_string() || !severity.is_string()) {
        error = fmt::format("line {}: pairs must have a severity and a cause", number);
        return false;
      }
      parsed.causes_.insert(severity.get<std::string>() + ' ' + cause.get<std::string>());
    }
  }
  baseline = std::move(parsed);
  return true;
}

bool Baseline::knows(const Finding& finding) const {
  return std::ranges::any_of(finding.pairs, [&](const Report& pair) {
    return pair.severity == finding.strongest.severity &&
           causes_.contains(std::string(name_of(pair.severity)) + ' ' + cause_of(pair));
  });
}

} // namespace fmha950::observe
