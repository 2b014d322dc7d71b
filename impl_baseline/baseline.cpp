// "baseline": the full-featured fallback, attention straight from the pages with the elements as they are.

#include "impl_baseline/append/append_plan.hpp"
#include "impl_baseline/baseline_plan.hpp"
#include "interface/names.hpp"
#include "interface/validate.hpp"
#include "operators/append_prefill/append_prefill.hpp"
#include "operators/batch_prefill/batch_prefill.hpp"

#include <fmt/format.h>

namespace fmha950::baseline {
namespace {

class Baseline final : public Implementation {
 public:
  std::string_view name() const override { return "baseline"; }
  std::string_view description() const override {
    return "full-featured fallback: every type, layout, page size and mask, straight from the pages (4 "
           "waves)";
  }
  Support supports(const Problem& problem) const override;
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    if (problem.op == append_prefill)
      return std::make_unique<append::AppendPlan>(append::Form::fused, name(), problem, host, device);
    return std::make_unique<BaselinePlan>(problem, host, device);
  }
};

Support Baseline::supports(const Problem& problem) const {
  if (problem.op == append_prefill) return append::supports(problem);
  if (problem.op != batch_prefill)
    return Support::no(
        fmt::format("operator {}: only batch_prefill and append_prefill", name_of(problem.op)));
  if (problem.head_dim != 64 && problem.head_dim != 128 && problem.head_dim != 256)
    return Support::no(fmt::format("head_dim {}: only 64, 128 or 256", problem.head_dim));
  if (problem.quantisation == Quantisation::mx) return Support::no("microscaling (quant=mx)");
  if (problem.query_type != problem.kv_type)
    return Support::no(fmt::format("{} queries with {} keys: only keys of the queries' type",
                                   name_of(problem.query_type), name_of(problem.kv_type)));
  const ElementType output = problem.kv_type == ElementType::fp8 ? ElementType::bf16 : problem.kv_type;
  if (problem.output_type != output)
    return Support::no(fmt::format("{} output with {} keys: only {}", name_of(problem.output_type),
                                   name_of(problem.kv_type), name_of(output)));
  return {};
}

const RegisterImplementation<Baseline> registration;

} // namespace
} // namespace fmha950::baseline
