#include "harness/record/record.hpp"

#include "harness/output/fields.hpp"
#include "harness/perf/modelled.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace fmha950::harness {

namespace {

using Json = nlohmann::ordered_json;

// An absent object keeps its keys with null values: every record has the same columns.
Json metrics(const ErrorMetrics* m) {
  Json json;
  const auto put = [&](const char* name, double value) {
    json[name] = m != nullptr ? number(value) : Json();
  };
  const ErrorMetrics& values = m != nullptr ? *m : ErrorMetrics{};
  put("max_abs", values.max_abs);
  put("rmse", values.rmse);
  put("relative_l2", values.relative_l2);
  put("cosine", values.cosine);
  put("nmse", values.nmse);
  put("norm_ratio", values.norm_ratio);
  return json;
}

Json defects(const Defects* d) {
  Json json;
  json["nan"] = d != nullptr ? Json(d->nan) : Json();
  json["inf"] = d != nullptr ? Json(d->inf) : Json();
  json["untouched"] = d != nullptr ? Json(d->untouched) : Json();
  return json;
}

Json limits(const Verdict* verdict) {
  Json json;
  for (const char* name : {"rmse", "row", "length", "element", "norm_ratio", "fp8_ceiling", "lse", "audit"})
    json[name] = {{"value", Json()}, {"limit", Json()}, {"where", Json()}};
  if (verdict != nullptr)
    for (const Limit& limit : verdict->limits)
      json[limit.name] = {
          {"value", number(limit.value)}, {"limit", number(limit.limit)}, {"where", limit.where}};
  return json;
}

Json place(const std::optional<WorstPlace>& worst) {
  Json json;
  for (const char* name : {"request", "query", "head", "column", "kv_first_key", "kv_keys", "kv_cosine"})
    json[name] = Json();
  if (!worst) return json;
  json["request"] = worst->row.request;
  json["query"] = worst->row.query;
  json["head"] = worst->head;
  json["column"] = worst->column;
  if (worst->kv_tile) {
    json["kv_first_key"] = worst->kv_tile->first_key;
    json["kv_keys"] = worst->kv_tile->keys;
    json["kv_cosine"] = number(worst->kv_tile->cosine);
  }
  return json;
}

Json cache(const CacheCheck* check) {
  Json json;
  const auto put = [&](const char* name, int64_t CacheCheck::* count) {
    json[name] = check != nullptr ? Json(check->*count) : Json();
  };
  put("bytes", &CacheCheck::bytes);
  put("appended", &CacheCheck::appended);
  put("wrong", &CacheCheck::wrong);
  put("changed_outside", &CacheCheck::changed);
  return json;
}

template <class T> const T* pointer(const std::optional<T>& value) { return value ? &*value : nullptr; }

Json accuracy(const std::optional<AccuracyResult>& result) {
  const AccuracyResult* a = pointer(result);
  const Verdict* verdict = a != nullptr ? &a->verdict : nullptr;
  const bool has_lse = verdict != nullptr && verdict->lse.count > 0;
  Json json;
  json["query_rows"] = a != nullptr ? Json(a->query_rows) : Json();
  json["total_query_rows"] = a != nullptr ? Json(a->total_query_rows) : Json();
  json["restricted"] = a != nullptr ? Json(a->restricted) : Json();
  json["kernel_error"] = metrics(verdict != nullptr ? &verdict->kernel : nullptr);
  json["plain_error"] = metrics(verdict != nullptr ? &verdict->plain : nullptr);
  json["quantisation_error"] = metrics(a != nullptr ? pointer(a->quantisation) : nullptr);
  json["total_error"] = metrics(a != nullptr ? pointer(a->total) : nullptr);
  json["max_reference"] = verdict != nullptr ? number(verdict->kernel.max_reference) : Json();
  json["lse_max_abs"] = has_lse ? number(verdict->lse.max_abs) : Json();
  json["limits"] = limits(verdict);
  json["audit"] = audit_json(verdict != nullptr ? &verdict->audit : nullptr,
                             a != nullptr ? a->audit_curves : AuditCurves{});
  json["defects"] = defects(verdict != nullptr ? &verdict->defects : nullptr);
  json["lse_defects"] = defects(verdict != nullptr ? &verdict->lse_defects : nullptr);
  json["worst"] = place(a != nullptr ? a->worst : std::nullopt);
  json["mfma_difference"] = a != nullptr && a->mfma_difference ? number(*a->mfma_difference) : Json();
  json["cache"] = cache(a != nullptr ? pointer(a->cache) : nullptr);
  return json;
}

Json variation(const VariationResult& result) {
  const auto text = [](const std::string& value) { return value.empty() ? Json() : Json(value); };
  Json json;
  json["schedule"] = text(result.variation.schedule);
  json["threads"] = text(result.variation.threads);
  json["mfma"] = text(result.variation.mfma);
  json["wall_ms"] = number(result.milliseconds);
  json["identical"] = result.identical;
  json["outcome"] = to_string(result.outcome);
  return json;
}

void flatten_into(const Json& json, const std::string& prefix,
                  std::vector<std::pair<std::string, std::string>>& out) {
  for (const auto& [key, value] : json.items()) {
    const std::string name = prefix.empty() ? key : prefix + "." + key;
    if (value.is_object())
      flatten_into(value, name, out);
    else if (value.is_null())
      out.emplace_back(name, "");
    else if (!value.is_array())
      out.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

} // namespace

nlohmann::ordered_json to_json(const Record& record) {
  Json json;
  json["schema"] = record_schema;
  json["command"] = record.command;
  json["case"] = record.case_string;
  json["requested"] = record.requested;
  json["resolved"] = record.resolved.empty() ? Json() : Json(record.resolved);
  json["variant"] = record.variant.empty() ? Json() : Json(record.variant);
  json["external"] = record.external.empty() ? Json() : Json(record.external);
  json["p"] = record.probability ? Json(p_word(*record.probability)) : Json();
  json["p_weighted"] = record.probability ? Json(record.probability->weighted) : Json();
  json["sum"] = record.probability ? Json(sum_word(*record.probability)) : Json();
  json["outcome"] = to_string(record.outcome.kind());
  json["reason"] = record.outcome.reason();
  json["fallback"] = record.fallback.empty() ? Json() : Json(record.fallback);
  json["probe"] = record.probe.empty() ? Json() : Json(record.probe);
  // An embedded device's wall time says how fast this host emulates, nothing about the hardware: it has its
  // own key.
  const auto time = record.outcome.milliseconds();
  json["gpu_ms"] = time && !record.environment.embedded ? number(*time) : Json();
  json["emulation_wall_ms"] = time && record.environment.embedded ? number(*time) : Json();
  json["workspace_bytes"] = record.workspace_bytes ? Json(*record.workspace_bytes) : Json();
  json["planning_ms"] = record.planning_ms ? number(*record.planning_ms) : Json();
  json["accuracy"] = accuracy(record.accuracy);
  json["modelled"] = record.modelled ? to_json(*record.modelled) : Json();
  json["measured"] = record.measured ? to_json(*record.measured) : Json();
  json["variations"] = Json::array();
  for (const VariationResult& result : record.variations) json["variations"].push_back(variation(result));
  json["hazards"] = Json::array();
  for (const HazardReport& hazard : record.hazards) json["hazards"].push_back(Json::parse(hazard.json));
  const Environment& environment = record.environment;
  json["environment"] = {{"version", environment.version},     {"commit", environment.commit},
                         {"committed", environment.committed}, {"kernels", environment.kernels},
                         {"build", environment.build},         {"compiler", environment.compiler},
                         {"host_cpu", environment.host_cpu},   {"device", environment.device},
                         {"library", environment.library},     {"embedded", environment.embedded}};
  json["asked"] = record.asked;
  json["reproduce"] = record.reproduce;
  return json;
}

std::vector<std::pair<std::string, std::string>> flatten(const nlohmann::ordered_json& record) {
  std::vector<std::pair<std::string, std::string>> columns;
  flatten_into(record, "", columns);
  return columns;
}

namespace {

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
