// "prepass": dequantise the touched FP8 pages or rows to bf16, then bf16 flash attention. The yardstick of
// the FP8 kernels.

#include "impl_prepass/prepass_plan.hpp"
#include "impl_prepass/sparse/sparse_plan.hpp"
#include "interface/names.hpp"
#include "interface/validate.hpp"
#include "operators/batch_prefill/batch_prefill.hpp"
#include "operators/sparse_prefill/sparse_prefill.hpp"

#include <fmt/format.h>

namespace fmha950::prepass {
namespace {

class Prepass final : public Implementation {
 public:
  std::string_view name() const override { return "prepass"; }
  std::string_view description() const override {
    return "dequantise touched pages or rows to bf16, then bf16 flash attention (8 waves, ping-pong)";
  }
  Support supports(const Problem& problem) const override;
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    if (problem.op == sparse_prefill) return std::make_unique<sparse::SparsePlan>(problem, host, device);
    return std::make_unique<PrepassPlan>(problem, host, device, attention_variant(problem));
  }
};

Support Prepass::supports(const Problem& problem) const {
  using enum ElementType;
  if (problem.op == sparse_prefill) return {}; // all that validation lets pass
  if (problem.op != batch_prefill)
    return Support::no(
        fmt::format("operator {}: only batch_prefill and sparse_prefill", name_of(problem.op)));
  if (problem.head_dim != head_dim)
    return Support::no(fmt::format("head_dim {}: only {}", problem.head_dim, head_dim));
  if (problem.sink_tokens != 0) return Support::no("attention-sink tokens");
  if (problem.sink_logit) return Support::no("a sink logit in the denominator");
  if (problem.soft_cap != 0) return Support::no("soft cap");
  // One type enters the matrix instructions: bf16, to which FP8 widens exactly, or fp16 throughout.
  const ElementType type = problem.kv_type == fp16 ? fp16 : bf16;
  if (problem.query_type != type && !(type == bf16 && problem.query_type == fp8))
    return Support::no(fmt::format("{} queries with {} keys: only {}", name_of(problem.query_type),
                                   name_of(problem.kv_type), type == fp16 ? "fp16" : "bf16 or fp8"));
  if (problem.output_type != type)
    return Support::no(fmt::format("{} output with {} keys: only {}", name_of(problem.output_type),
                                   name_of(problem.kv_type), name_of(type)));
  return {};
}

const RegisterImplementation<Prepass> registration;

} // namespace
} // namespace fmha950::prepass
