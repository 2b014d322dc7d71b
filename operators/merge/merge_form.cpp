#include "operators/merge/merge_form.hpp"

#include <fmt/format.h>

namespace fmha950 {
namespace {

constexpr std::string_view part_layouts[] = {"parts", "tokens", "heads"};
constexpr std::string_view lse_bases[] = {"e", "2"};

} // namespace

template <> std::span<const std::string_view> names_of<PartLayout>() { return part_layouts; }
template <> std::span<const std::string_view> names_of<LseBase>() { return lse_bases; }

InvalidInput MergeForm::misplaced() const {
  return {"parts", fmt::format("{}", parts), "must be absent, only merge has partial results"};
}

std::vector<Feature> MergeForm::features(const Problem& problem) const {
  const std::string types = fmt::format("{} to {}", name_of(problem.kv_type), name_of(problem.output_type));
  return {{std::string(feature::part_types), types,
           fmt::format("{} output of {} parts", name_of(problem.output_type), name_of(problem.kv_type))},
          {std::string(feature::parts), fmt::format("{}", parts), fmt::format("{} parts", parts)},
          {std::string(feature::part_layout), std::string(name_of(layout)),
           fmt::format("layout {} of partial results", name_of(layout))},
          {std::string(feature::lse_base), std::string(name_of(base)),
           fmt::format("partial LSEs to the base of {}", name_of(base))}};
}

} // namespace fmha950
