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
  return party.at("source").get<std::string>() + ": " + party.at("instruction").get<std::string>();
}
uint64_t offset_of(const json& party) { return party.is_null() ? 0 : party.at("offset").get<uint64_t>(); }

HazardReport parse(const std::string& line) {
  const json value = json::parse(line);
  return {value.at("hazard"),
          value.at("kernel"),
          value.at("what"),
          value.at("missing"),
          location_of(value.at("earlier")),
          location_of(value.at("later")),
          offset_of(value.at("earlier")),
          offset_of(value.at("later")),
          value.at("count"),
          line,
          value.at("severity")};
}

} // namespace

std::vector<HazardReport> take_hazards() {
  std::vector<HazardReport> reports;
  if (hip::api().Hazards == nullptr) return reports;
  std::istringstream lines(hip::api().Hazards("places"));
  for (std::string line; std::getline(lines, line);) reports.push_back(parse(line));
  hip::check(hip::api().ClearHazards(), "fmha950ClearHazards");
  return reports;
}

std::string describe(const std::vector<HazardReport>& hazards) {
  constexpr size_t shown = 3;
  std::vector<std::string> parts;
  for (size_t i = 0; i < std::min(shown, hazards.size()); ++i) {
    const HazardReport& hazard = hazards[i];
    const std::string arrow = hazard.earlier.empty() || hazard.later.empty() ? "" : " -> ";
    parts.push_back(fmt::format("{} at {}{}{}: {}", hazard.hazard, hazard.earlier, arrow, hazard.later,
                                hazard.missing.empty() ? hazard.what : "missing " + hazard.missing));
  }
  if (hazards.size() > shown) parts.emplace_back("...");
  return fmt::format("{} hazards: {}", hazards.size(), fmt::join(parts, "; "));
}

} // namespace fmha950::harness
