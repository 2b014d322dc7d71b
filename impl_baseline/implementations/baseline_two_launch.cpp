// "baseline_two_launch": append_prefill with a launch that appends and one that attends, beside baseline's
// one for both.

#include "impl_baseline/append/append_plan.hpp"
#include "interface/validate.hpp"
#include "operators/append_prefill/append_prefill.hpp"

namespace fmha950::baseline::append {
namespace {

class BaselineTwoLaunch final : public Implementation {
 public:
  std::string_view name() const override { return "baseline_two_launch"; }
  std::string_view description() const override {
    return "append_prefill in two launches: the chunk into the fp8 cache, then attention";
  }
  const std::vector<FeatureSet>& features() const override {
    static const std::vector<FeatureSet> sets = {append::features(ElementType::bf16),
                                                 append::features(ElementType::fp16)};
    return sets;
  }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    return std::make_unique<AppendPlan>(Form::two_launch, name(), problem, host, device);
  }
};

const RegisterImplementation<BaselineTwoLaunch> registration;

} // namespace
} // namespace fmha950::baseline::append
