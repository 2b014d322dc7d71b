// Which reports share a cause (finding.hpp).
#include "emulator/observe/report/finding.hpp"

#include "emulator/observe/report/cause_groups.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace fmha950::observe {
namespace {

int distance_of(const Report& report) { // in code, as far as it can be told
  uint64_t bytes = 0;
  for (const CodeRange& range : report.between) bytes += range.last - range.first + 4;
  return static_cast<int>(std::min<uint64_t>(report.between.empty() ? INT32_MAX : bytes, INT32_MAX));
}

bool is_stronger(const Report& a, const Report& b) {
  if (a.severity != b.severity) return a.severity < b.severity;
  // A value that nobody wrote is what came of it.
  const bool a_says = !a.missing.empty(), b_says = !b.missing.empty();
  if (a_says != b_says) return a_says;
  if (a.count != b.count) return a.count > b.count;
  return distance_of(a) < distance_of(b);
}

std::string place_of(const ReportedParty& party) {
  if (!party.present) return "";
  return party.source.empty() ? fmt::format("{}+{:#x}", party.symbol, party.offset) : party.source;
}

} // namespace

std::string cause_of(const Report& report) {
  std::string earlier = place_of(report.earlier), later = place_of(report.later);
  const unsigned lacks = lacking(report);
  if (lacks & Lacks::barrier && later < earlier) std::swap(earlier, later); // either may come first
  std::string text = report.kernel.empty() ? "the host" : report.kernel;
  text += fmt::format(": {}", name_of_lacking(lacks, report));
  if (!earlier.empty() || !later.empty())
    text += fmt::format(": {}{}{}", earlier, earlier.empty() || later.empty() ? "" : " -> ", later);
  return earlier.empty() && later.empty() ? text + ": " + report.what : text;
}

Finding finding_of(std::span<const Report> pairs) {
  Finding finding{pairs.front(), {}, {}, 0, cause_of(pairs.front())};
  for (const Report& pair : pairs) {
    if (is_stronger(pair, finding.strongest)) finding.strongest = pair;
    finding.numbers.push_back(finding.pairs.size());
    finding.pairs.push_back(pair);
    finding.count += pair.count;
  }
  return finding;
}

std::vector<Finding> findings_of(std::span<const Report> reports) {
  const std::vector<size_t> groups = cause_groups(reports);
  std::map<size_t, std::vector<size_t>> members; // by the first of each cause
  for (size_t i = 0; i < reports.size(); ++i) members[groups[i]].push_back(i);
  std::vector<Finding> findings;
  for (auto& [first, numbers] : members) {
    std::vector<Report> pairs;
    for (const size_t number : numbers) pairs.push_back(reports[number]);
    findings.push_back(finding_of(pairs));
    findings.back().numbers = std::move(numbers);
  }
  std::ranges::sort(findings, {}, [](const Finding& finding) {
    return std::pair(finding.strongest.severity, finding.numbers.front());
  });
  std::map<std::string, int> same; // two mistakes on one line
  for (Finding& finding : findings)
    if (const int number = ++same[finding.cause]; number > 1) finding.cause += fmt::format(" #{}", number);
  return findings;
}

} // namespace fmha950::observe
