#include "interface/features.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

namespace fmha950 {
namespace {

bool has_number(const Has& has, const std::string& value) {
  int64_t number = -1;
  const char* const end = value.data() + value.size();
  return std::from_chars(value.data(), end, number).ptr == end && number >= 0 && number <= has.most;
}

bool has_feature(const FeatureSet& set, const Feature& feature) {
  return std::ranges::any_of(set, [&](const Has& has) {
    return has.kind == feature.kind && (std::ranges::find(has.values, feature.value) != has.values.end() ||
                                        has_number(has, feature.value));
  });
}

// "only 64, 128 or 256"
std::string only(const std::vector<std::string>& values, std::string_view conjunction) {
  std::string text = "only ";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += i + 1 == values.size() ? conjunction : ", ";
    text += values[i];
  }
  return text;
}

Support refused(const Feature& feature, std::span<const FeatureSet* const> sets) {
  std::vector<std::string> values;
  for (const FeatureSet* set : sets)
    for (const Has& has : *set) {
      if (has.kind != feature.kind) continue;
      const bool has_none = has.values.empty() && has.most < 0;
      if (!has.limit.empty()) return Support::no(has_none ? has.limit : feature.words + ": " + has.limit);
      for (const std::string& value : has.values)
        if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    }
  if (values.empty()) return Support::no(feature.words);
  const std::string_view conjunction = feature.kind == feature::operation ? " and " : " or ";
  return Support::no(feature.words + ": " + only(values, conjunction));
}

} // namespace

Has has_operator(OperatorName op) { return {feature::operation, {std::string(name_of(op))}}; }
Has up_to(std::string_view kind, int64_t most) { return {kind, {}, fmt::format("at most {}", most), most}; }

Support support_of(std::span<const Feature> required, std::span<const FeatureSet> sets) {
  std::vector<const FeatureSet*> left;
  for (const FeatureSet& set : sets) left.push_back(&set);
  for (const Feature& feature : required) {
    std::vector<const FeatureSet*> having;
    std::ranges::copy_if(left, std::back_inserter(having),
                         [&](const FeatureSet* set) { return has_feature(*set, feature); });
    if (having.empty()) return refused(feature, left);
    left = std::move(having);
  }
  return {};
}

} // namespace fmha950
