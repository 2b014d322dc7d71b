// "baseline": the full-featured fallback, attention straight from the pages with the elements as they are.

#include "impl_baseline/append/append_plan.hpp"
#include "impl_baseline/baseline_costs.hpp"
#include "impl_baseline/baseline_plan.hpp"
#include "interface/validate.hpp"
#include "operators/append_prefill/append_prefill.hpp"

namespace fmha950::baseline {
namespace {

class Baseline final : public Implementation {
 public:
  std::string_view name() const override { return "baseline"; }
  std::string_view description() const override {
    return "full-featured fallback: every type, layout, page size and mask, straight from the pages (4 "
           "waves)";
  }
  Rank rank(const Problem&) const override { return Rank::usual; }
  std::optional<double> estimated_seconds(const Problem& problem) const override {
    return attention::estimated_seconds(problem, costs);
  }
  const std::vector<FeatureSet>& features() const override {
    static const std::vector<FeatureSet> sets = {
        batch_features({"bf16 with bf16", "bf16 with fp8"}, ElementType::bf16),
        batch_features({"fp16 with fp16", "fp16 with fp8"}, ElementType::fp16),
        batch_features({"fp8 with fp8"}, ElementType::bf16),
        tree_features({"bf16 with bf16", "bf16 with fp8"}, ElementType::bf16, {"64", "128"}),
        tree_features({"fp8 with fp8"}, ElementType::bf16, {"128"}),
        append::features(ElementType::bf16),
        append::features(ElementType::fp16),
    };
    return sets;
  }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    if (problem.op == append_prefill)
      return std::make_unique<append::AppendPlan>(append::Form::fused, name(), problem, host, device);
    return std::make_unique<BaselinePlan>(problem, host, device);
  }
};

const RegisterImplementation<Baseline> registration;

} // namespace
} // namespace fmha950::baseline
