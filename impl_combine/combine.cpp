// "combine": merge in one launch, with vector loads, whatever the layout of the parts.

#include "impl_combine/combine_plan.hpp"
#include "impl_combine/kernel_arguments.hpp"
#include "interface/implementation.hpp"
#include "interface/validate.hpp"
#include "operators/merge/merge.hpp"
#include "operators/merge/merge_form.hpp"

#include <fmt/format.h>

namespace fmha950::combine {
namespace {

std::vector<std::string> head_dimensions() {
  std::vector<std::string> all;
  for (int columns = columns_of_lane; columns <= most_columns; columns += columns_of_lane)
    all.push_back(fmt::format("{}", columns));
  return all;
}

class Combine final : public Implementation {
 public:
  std::string_view name() const override { return "combine"; }
  std::string_view description() const override {
    return "parts of several calls, eight columns a lane, weights in fp32";
  }
  const std::vector<FeatureSet>& features() const override {
    static const std::vector<FeatureSet> sets = {{
        has_operator(merge),
        any_number(feature::kv_heads),
        any_number(feature::heads_per_kv_head),
        {feature::types, {"bf16 with bf16", "fp16 with fp16", "fp32 with fp32"}},
        {feature::output, {"bf16", "fp16", "fp32"}},
        {feature::head_dim, head_dimensions(),
         "a lane has eight columns, and a wave a row: multiples of 8 up to 512"},
        {feature::lse},
        {feature::part_types,
         {"fp32 to fp32", "fp32 to bf16", "fp32 to fp16", "bf16 to bf16", "fp16 to fp16"},
         "the type of 16-bit parts is that of the output"},
        up_to(feature::parts, most_parts),
        {feature::part_layout, {"parts", "tokens", "heads"}},
        {feature::lse_base, {"e", "2"}},
    }};
    return sets;
  }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    return std::make_unique<CombinePlan>(problem, device);
  }
};

const RegisterImplementation<Combine> registered;

} // namespace
} // namespace fmha950::combine
