#include "harness/device/hazards.hpp"

#include "interface/hip.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fmha950::harness {
namespace {

using nlohmann::json;

std::string location_of(const json& party) {
  if (party.is_null()) return "";
  return party.at("source").get<std::string>() + ": " + party.value("instruction", "");
}
// Code outside of all functions, and a side that there is none of, are no place of the kernel's.
CodePlace place_of(const json& party, const json& kernel) {
  if (party.is_null()) return {CodePlace::nowhere, 0};
  const std::string symbol = party.at("symbol");
  if (symbol.empty()) return {"no function", party.at("offset")};
  return {symbol == kernel.get<std::string>() ? "" : symbol, party.at("offset")};
}

Lacks lacks_in(const json& lacks) {
  if (lacks.is_null()) return {};
  return {lacks.value("vmcnt", false),
          lacks.value("lgkmcnt", false),
          lacks.value("before", "") == "barrier",
          lacks.value("before", "") == "atomic",
          lacks.value("barrier", false),
          lacks.value("states", 0)};
}

HazardReport parse(const std::string& line) {
  const json value = json::parse(line);
  return {value.at("hazard"),
          value.at("kernel"),
          value.at("what"),
          value.at("missing"),
          location_of(value.at("earlier")),
          location_of(value.at("later")),
          place_of(value.at("earlier"), value.at("kernel")),
          place_of(value.at("later"), value.at("kernel")),
          value.at("count"),
          line,
          value.at("severity"),
          value.contains("pairs") ? value.at("pairs").size() : 1,
          lacks_in(value.at("lacks"))};
}

std::vector<HazardReport> take(const char* format) {
  std::vector<HazardReport> reports;
  if (hip::api().Hazards == nullptr) return reports;
  std::istringstream lines(hip::api().Hazards(format));
  for (std::string line; std::getline(lines, line);) reports.push_back(parse(line));
  hip::check(hip::api().ClearHazards(), "fmha950ClearHazards");
  return reports;
}

} // namespace

std::vector<HazardReport> take_hazards() { return take("places"); }
std::vector<HazardReport> take_findings() { return take("json"); }

std::vector<HazardReport> pairs_of_finding(const std::string& line) {
  const json finding = json::parse(line);
  const json& kernel = finding.at("kernel");
  std::vector<HazardReport> pairs;
  for (const json& pair : finding.at("pairs"))
    pairs.push_back({pair.at("hazard"), kernel, finding.at("what"), pair.at("missing"),
                     location_of(pair.at("earlier")), location_of(pair.at("later")),
                     place_of(pair.at("earlier"), kernel), place_of(pair.at("later"), kernel),
                     pair.at("count"), json{{"cause", finding.at("cause")}}.dump(), pair.at("severity"), 1,
                     lacks_in(pair.at("lacks")), finding.value("accepted", false)});
  return pairs;
}

std::string describe(const std::vector<HazardReport>& findings) {
  constexpr size_t shown = 3;
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(shown, findings.size()); ++i) {
    const HazardReport& finding = findings[i];
    const std::string arrow = finding.earlier.empty() || finding.later.empty() ? "" : " -> ";
    parts.push_back(fmt::format("{} at {}{}{}: {}{}", finding.hazard, finding.earlier, arrow, finding.later,
                                finding.missing.empty() ? finding.what : "missing " + finding.missing,
                                finding.pairs > 1 ? fmt::format(" ({} pairs)", finding.pairs) : ""));
  }
  if (findings.size() > shown) parts.emplace_back("...");
  return fmt::format("{} finding{}: {}", findings.size(), findings.size() == 1 ? "" : "s",
                     fmt::join(parts, "; "));
}

void add_changed_bits(std::vector<HazardReport>& findings, const std::vector<std::string>& schedules) {
  for (HazardReport& finding : findings) {
    json value = json::parse(finding.json);
    value["bits_differ"] = schedules;
    finding.json = value.dump();
  }
}

} // namespace fmha950::harness
