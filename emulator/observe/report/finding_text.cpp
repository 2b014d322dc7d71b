// Findings for people.
#include "emulator/observe/report/finding.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace fmha950::observe {
namespace {

std::string side_text(const char* role, const ReportedParty& party) {
  if (!party.present) return "";
  std::string where; // the writer of bytes that the host reads is known by its code only
  if (party.wave >= 0)
    where = fmt::format("  (workgroup {}, wave {}{})", party.workgroup, party.wave,
                        party.lane >= 0 ? fmt::format(", lane {}", party.lane) : "");
  std::string text = fmt::format("  {} {}\n", role, party.source.empty() ? "unknown source" : party.source);
  for (size_t i = 1; i < party.frames.size(); ++i)
    text += fmt::format("          {} is inlined at {}\n", party.frames[i - 1].function,
                        party.frames[i].source.empty() ? party.frames[i].function : party.frames[i].source);
  text += fmt::format("          {}+{:#x} {}{}\n", party.symbol, party.offset, party.instruction, where);
  return party.phase.empty() ? text : text + fmt::format("          {}\n", party.phase);
}

// "+0x40 to +0x1c0", of the pairs' sides in the symbol of the strongest.
std::string range_text(const Finding& finding, ReportedParty Report::* side) {
  const std::string& symbol = (finding.strongest.*side).symbol;
  uint64_t first = UINT64_MAX, last = 0;
  for (const Report& pair : finding.pairs) {
    const ReportedParty& party = pair.*side;
    if (!party.present || party.symbol != symbol) continue;
    first = std::min(first, party.offset);
    last = std::max(last, party.offset);
  }
  if (first > last) return "";
  return first == last ? fmt::format("{}+{:#x}", symbol, first)
                       : fmt::format("{}+{:#x} to +{:#x}", symbol, first, last);
}

std::string pairs_text(const Finding& finding) {
  std::map<HazardClass, size_t> classes;
  for (const Report& pair : finding.pairs) ++classes[pair.type];
  std::vector<std::string> parts;
  for (const auto& [type, count] : classes) parts.push_back(fmt::format("{} {}", count, name_of(type)));
  std::string text = fmt::format("  pairs   {}: {}\n", finding.pairs.size(), fmt::join(parts, ", "));
  const std::string earlier = range_text(finding, &Report::earlier),
                    later = range_text(finding, &Report::later);
  return text +
         fmt::format("          {}{}{}\n", earlier, earlier.empty() || later.empty() ? "" : " -> ", later);
}

} // namespace

std::string as_text(const Finding& finding) {
  const Report& report = finding.strongest;
  std::string text = fmt::format(
      "hazard {}{}: {}\n", name_of(report.type),
      report.severity == Severity::error ? "" : fmt::format(" ({})", name_of(report.severity)), report.what);
  if (!report.kernel.empty()) text += fmt::format("  kernel  {}\n", report.kernel);
  text += side_text("earlier", report.earlier) + side_text("later  ", report.later);
  if (report.end > report.begin) text += fmt::format("  bytes   [{:#x}, {:#x})\n", report.begin, report.end);
  if (!report.missing.empty()) text += fmt::format("  missing {}\n", report.missing);
  if (!report.usually.empty()) text += fmt::format("  usually {}\n", report.usually);
  if (finding.pairs.size() > 1) text += pairs_text(finding);
  return text + fmt::format("  seen    {} time{}\n", finding.count, finding.count == 1 ? "" : "s");
}

} // namespace fmha950::observe
