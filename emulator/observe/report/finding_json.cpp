// Findings for scripts: JSON lines, and SARIF for editors and code review.
#include "emulator/observe/report/finding.hpp"
#include "emulator/observe/report/missing_order.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace fmha950::observe {
namespace {

using nlohmann::json;

json side_json(const ReportedParty& party) {
  if (!party.present) return nullptr;
  json value = {{"source", party.source}, {"instruction", party.instruction}, {"symbol", party.symbol},
                {"offset", party.offset}, {"workgroup", party.workgroup},     {"wave", party.wave}};
  if (party.lane >= 0) value["lane"] = party.lane;
  if (party.inserted) value["inserted"] = party.inserted;
  if (!party.loop.empty()) value["loop"] = party.loop;
  if (!party.phase.empty()) value["phase"] = party.phase;
  for (const auto& frame : party.frames)
    value["frames"].push_back({{"function", frame.function}, {"source", frame.source}});
  return value;
}

json short_side_json(const ReportedParty& party) {
  if (!party.present) return nullptr;
  json value = {{"symbol", party.symbol}, {"offset", party.offset}, {"source", party.source}};
  if (party.inserted) { // at that offset is the instruction behind it
    value["inserted"] = party.inserted;
    value["instruction"] = party.instruction;
  }
  return value;
}

json places_json(const Report& report) {
  json places = json::array();
  for (const CodeRange& range : report.between) places.push_back({range.first, range.last});
  return places;
}

// By what an instruction would order the two, besides where; null: by none.
json lacks_json(const Report& report) {
  constexpr const char* before[] = {"later", "barrier", "atomic"};
  const MissingOrder order = missing_order(report.type, report.missing);
  if (!order.is_any()) return nullptr;
  json value = json::object();
  if (order.vmcnt) value["vmcnt"] = true;
  if (order.lgkmcnt) value["lgkmcnt"] = true;
  if (order.waits()) value["before"] = before[static_cast<size_t>(order.before)];
  if (order.barrier) value["barrier"] = true;
  if (order.states > 0) value["states"] = order.states;
  return value;
}

json report_json(const Report& report) {
  json value = {{"schema", findings_schema},
                {"hazard", name_of(report.type)},
                {"severity", name_of(report.severity)},
                {"kernel", report.kernel},
                {"what", report.what},
                {"earlier", side_json(report.earlier)},
                {"later", side_json(report.later)},
                {"missing", report.missing},
                {"lacks", lacks_json(report)},
                {"count", report.count}};
  if (!report.usually.empty()) value["usually"] = report.usually;
  if (report.end > report.begin) value["bytes"] = {report.begin, report.end};
  value["between"] = places_json(report);
  return value;
}

json physical_location(const ReportedParty& party) {
  const size_t colon = party.source.rfind(':');
  const std::string file = party.source.substr(0, colon);
  const int line = colon == std::string::npos ? 0 : std::atoi(party.source.c_str() + colon + 1);
  json physical = {{"artifactLocation", {{"uri", file.empty() ? "unknown" : file}}}};
  if (line > 0) physical["region"] = {{"startLine", line}};
  return {{"physicalLocation", physical},
          {"logicalLocations", json::array({{{"name", party.symbol}, {"kind", "function"}}})},
          {"message", {{"text", party.instruction}}}};
}

json result_of(const Finding& finding) {
  const Report& report = finding.strongest;
  std::string message = report.what;
  if (!report.missing.empty()) message += "; missing: " + report.missing;
  json result = {
      {"ruleId", name_of(report.type)},
      {"level", name_of(report.severity)},
      {"message", {{"text", message}}},
      {"occurrenceCount", finding.count},
      {"partialFingerprints", {{"cause", finding.cause}}},
      {"properties", {{"pairs", finding.pairs.size()}}},
      {"locations", json::array({physical_location(report.later.present ? report.later : report.earlier)})}};
  if (report.earlier.present && report.later.present)
    result["relatedLocations"] = json::array({physical_location(report.earlier)});
  return result;
}

} // namespace

std::string as_json(const Report& report, const std::string& cause) {
  json value = report_json(report);
  value["cause"] = cause;
  return value.dump();
}

std::string as_json(const Finding& finding) {
  json value = report_json(finding.strongest);
  value["count"] = finding.count;
  value["cause"] = finding.cause;
  if (finding.accepted) value["accepted"] = true;
  for (const Report& pair : finding.pairs)
    value["pairs"].push_back({{"hazard", name_of(pair.type)},
                              {"severity", name_of(pair.severity)},
                              {"earlier", short_side_json(pair.earlier)},
                              {"later", short_side_json(pair.later)},
                              {"missing", pair.missing},
                              {"lacks", lacks_json(pair)},
                              {"between", places_json(pair)},
                              {"count", pair.count},
                              {"cause", cause_of(pair)}});
  return value.dump();
}

std::string as_sarif(const std::vector<Finding>& findings) {
  json rules = json::array(), results = json::array();
  for (int i = 0; i < hazard_classes; ++i) rules.push_back({{"id", name_of(static_cast<HazardClass>(i))}});
  for (const Finding& finding : findings) results.push_back(result_of(finding));
  const json driver = {{"name", "fmha950"}, {"rules", rules}};
  const json run = {
      {"tool", {{"driver", driver}}}, {"results", results}, {"properties", {{"schema", findings_schema}}}};
  return json{{"version", "2.1.0"},
              {"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
              {"runs", json::array({run})}}
      .dump(1);
}

} // namespace fmha950::observe
