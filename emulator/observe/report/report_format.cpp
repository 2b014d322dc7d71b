// Reports as text for people, JSON lines for scripts and SARIF for editors and code review.
#include "emulator/observe/report/report_log.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fmha950::observe {
namespace {

using nlohmann::json;

std::string text_of(const char* role, const ReportedParty& party) {
  if (!party.present) return "";
  std::string where; // the writer of bytes that the host reads is known by its code only
  if (party.wave >= 0)
    where = fmt::format("  (workgroup {}, wave {}{})", party.workgroup, party.wave,
                        party.lane >= 0 ? fmt::format(", lane {}", party.lane) : "");
  return fmt::format("  {} {}\n          +{:#x} {}{}\n", role,
                     party.source.empty() ? "unknown source" : party.source, party.offset, party.instruction,
                     where);
}

json json_of(const ReportedParty& party) {
  if (!party.present) return nullptr;
  json value = {{"source", party.source},
                {"instruction", party.instruction},
                {"offset", party.offset},
                {"workgroup", party.workgroup},
                {"wave", party.wave}};
  if (party.lane >= 0) value["lane"] = party.lane;
  return value;
}

json sarif_location(const ReportedParty& party) {
  const size_t colon = party.source.rfind(':');
  const std::string file = party.source.substr(0, colon);
  const int line = colon == std::string::npos ? 0 : std::atoi(party.source.c_str() + colon + 1);
  json physical = {{"artifactLocation", {{"uri", file.empty() ? "unknown" : file}}}};
  if (line > 0) physical["region"] = {{"startLine", line}};
  return {{"physicalLocation", physical}, {"message", {{"text", party.instruction}}}};
}

// "29, at +0x34 (a.hip:3) -> +0x44 (a.hip:4), ...", the first few of them.
std::string text_of(const std::vector<ReportPlace>& places) {
  constexpr size_t shown = 8;
  const auto side = [](uint64_t offset, const std::string& source) {
    return offset || !source.empty() ? fmt::format("+{:#x} ({})", offset, source.empty() ? "unknown" : source)
                                     : "";
  };
  std::string text = fmt::format("  places  {}, at ", places.size());
  for (size_t i = 0; i < std::min(shown, places.size()); ++i) {
    const std::string earlier = side(places[i].earlier, places[i].earlier_source),
                      later = side(places[i].later, places[i].later_source);
    text += fmt::format("{}{}{}{}", i ? ", " : "", earlier, earlier.empty() || later.empty() ? "" : " -> ",
                        later);
  }
  return text + (places.size() > shown ? ", ...\n" : "\n");
}

json json_of(const std::vector<ReportPlace>& places) {
  json all = json::array();
  for (const ReportPlace& place : places)
    all.push_back({{"earlier", {{"offset", place.earlier}, {"source", place.earlier_source}}},
                   {"later", {{"offset", place.later}, {"source", place.later_source}}},
                   {"count", place.count}});
  return all;
}

} // namespace

std::string as_text(const Report& report) {
  std::string text = fmt::format(
      "hazard {}{}: {}\n", name_of(report.type),
      report.severity == Severity::error ? "" : fmt::format(" ({})", name_of(report.severity)), report.what);
  if (!report.kernel.empty()) text += fmt::format("  kernel  {}\n", report.kernel);
  text += text_of("earlier", report.earlier) + text_of("later  ", report.later);
  if (report.end > report.begin) text += fmt::format("  bytes   [{:#x}, {:#x})\n", report.begin, report.end);
  if (!report.missing.empty()) text += fmt::format("  missing {}\n", report.missing);
  if (!report.usually.empty()) text += fmt::format("  usually {}\n", report.usually);
  if (report.places.size() > 1) text += text_of(report.places);
  return text + fmt::format("  seen    {} time{}\n", report.count, report.count == 1 ? "" : "s");
}

std::string as_json(const Report& report) {
  json value = {{"schema", 1},
                {"hazard", name_of(report.type)},
                {"severity", name_of(report.severity)},
                {"kernel", report.kernel},
                {"what", report.what},
                {"earlier", json_of(report.earlier)},
                {"later", json_of(report.later)},
                {"missing", report.missing},
                {"count", report.count}};
  if (!report.usually.empty()) value["usually"] = report.usually;
  if (report.end > report.begin) value["bytes"] = {report.begin, report.end};
  if (report.places.size() > 1) value["places"] = json_of(report.places);
  return value.dump();
}

std::string as_sarif(const std::vector<Report>& reports) {
  json rules = json::array(), results = json::array();
  for (int i = 0; i < hazard_classes; ++i) rules.push_back({{"id", name_of(static_cast<HazardClass>(i))}});
  for (const Report& report : reports) {
    std::string message = report.what;
    if (!report.missing.empty()) message += "; missing: " + report.missing;
    json result = {
        {"ruleId", name_of(report.type)},
        {"level", name_of(report.severity)},
        {"message", {{"text", message}}},
        {"occurrenceCount", report.count},
        {"locations", json::array({sarif_location(report.later.present ? report.later : report.earlier)})}};
    if (report.earlier.present && report.later.present)
      result["relatedLocations"] = json::array({sarif_location(report.earlier)});
    results.push_back(std::move(result));
  }
  const json driver = {{"name", "fmha950"}, {"rules", rules}};
  return json{{"version", "2.1.0"},
              {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
              {"runs", json::array({{{"tool", {{"driver", driver}}}, {"results", results}}})}}
      .dump(1);
}

} // namespace fmha950::observe
