#include "harness/record/audit_json.hpp"

#include "harness/output/json_number.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

namespace {

using Json = nlohmann::ordered_json;

// Four digits: a record holds thousands of them.
Json short_number(double value) {
  if (std::isnan(value)) return nullptr; // no judged row sees the tile
  return std::isfinite(value) ? Json(std::stod(fmt::format("{:.4g}", value))) : number(value);
}

Json numbers(const std::vector<double>& values) {
  Json json = Json::array();
  for (const double value : values) json.push_back(short_number(value));
  return json;
}

Json finding_json(const Finding& finding) {
  return {{"text", finding.text},
          {"request", finding.place.request},
          {"kv_head", finding.place.kv_head},
          {"first_key", finding.place.first_key},
          {"last_key", finding.place.last_key},
          {"of_lse", finding.of_lse},
          {"share", number(finding.share)},
          {"sigma", number(finding.sigma)},
          {"allowed", number(finding.allowed())},
          {"z", number(finding.z())}};
}

Json curve_json(const AuditCurve& curve) {
  return {
      {"noise_exponent", curve.exponent}, {"share", numbers(curve.share)}, {"sigma", numbers(curve.sigma)}};
}

} // namespace

nlohmann::ordered_json audit_json(const AuditVerdict* verdict, const AuditCurves& curves) {
  Json json;
  const auto put = [&](const char* name, const auto& value) {
    json[name] = verdict != nullptr ? Json(value) : Json();
  };
  const AuditVerdict& values = verdict != nullptr ? *verdict : AuditVerdict{};
  put("parts", values.parts);
  put("failed", values.failed);
  put("keys", values.keys);
  put("not_audited", values.not_audited);
  put("inflation", number(values.inflation));
  json["findings"] = Json::array();
  for (const Finding& finding : values.findings) json["findings"].push_back(finding_json(finding));
  json["tiles"] = Json::array();
  for (const AuditCurve& curve : curves.tiles) json["tiles"].push_back(curve_json(curve));
  json["scores"] = {{"share", numbers(curves.scores.share)}, {"sigma", numbers(curves.scores.sigma)}};
  return json;
}

} // namespace fmha950::harness
