#include "emulator/observe/report/baseline.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

namespace fmha950::observe {

bool Baseline::parse(std::string_view text, Baseline& baseline, std::string& error) {
  using nlohmann::json;
  Baseline parsed;
  std::map<std::string, std::set<std::string>>
      findings; // causes of their pairs: a finding may be told in several lines
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
    const json of_finding = value.value("cause", json());
    if (!of_finding.is_string()) {
      error = fmt::format("line {}: a finding must have a cause", number);
      return false;
    }
    for (const json& pair : value["pairs"]) {
      const json cause = pair.value("cause", json()), severity = pair.value("severity", json());
      if (!cause.is_string() || !severity.is_string()) {
        error = fmt::format("line {}: pairs must have a severity and a cause", number);
        return false;
      }
      findings[of_finding].insert(severity.get<std::string>() + ' ' + cause.get<std::string>());
    }
  }
  for (const auto& [finding, causes] : findings)
    for (const std::string& cause : causes) ++parsed.findings_[cause];
  baseline = std::move(parsed);
  return true;
}

void Baseline::accept(std::vector<Finding>& findings) const {
  std::map<std::string, int> left = findings_;
  for (Finding& finding : findings) {
    const auto known = std::ranges::find_if(finding.pairs, [&](const Report& pair) {
      if (pair.severity != finding.strongest.severity) return false;
      const auto entry = left.find(std::string(name_of(pair.severity)) + ' ' + cause_of(pair));
      return entry != left.end() && entry->second > 0;
    });
    if (known == finding.pairs.end()) continue;
    finding.accepted = true;
    --left[std::string(name_of(known->severity)) + ' ' + cause_of(*known)];
  }
}

} // namespace fmha950::observe
