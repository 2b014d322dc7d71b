// "fused": one kernel, FP8 all the way, with MX scales as operands of the matrix instructions.

#include "impl_fused/fused_plan.hpp"
#include "impl_fused/sparse/sparse_plan.hpp"
#include "interface/names.hpp"
#include "interface/validate.hpp"

#include <fmt/format.h>

namespace fmha950::fused {
namespace {

Support supported(const Problem& problem) {
  using enum ElementType;
  if (problem.op == Operator::append_prefill)
    return Support::no(
        fmt::format("operator {}: only batch_prefill and sparse_prefill", name_of(problem.op)));
  if (problem.query_type != fp8 || problem.kv_type != fp8)
    return Support::no(fmt::format("{} queries with {} keys: only fp8 with fp8", name_of(problem.query_type),
                                   name_of(problem.kv_type)));
  if (problem.output_type != bf16)
    return Support::no(fmt::format("{} output: only bf16", name_of(problem.output_type)));
  if (problem.op == Operator::sparse_prefill) return {}; // all else that validation lets pass
  if (problem.head_dim != head_dim)
    return Support::no(fmt::format("head_dim {}: only {}", problem.head_dim, head_dim));
  if (problem.kv_layout != KvLayout::linear)
    return Support::no(fmt::format("{} layout: only linear", name_of(problem.kv_layout)));
  if (problem.quantisation == Quantisation::kv_blockscale && problem.page_size < keys_per_tile)
    return Support::no(fmt::format("descales per page with pages of {}: a tile of {} keys needs one descale",
                                   problem.page_size, keys_per_tile));
  if (problem.strided) return Support::no("strided views of K and V");
  if (problem.window) return Support::no("a sliding window");
  if (problem.sink_tokens != 0) return Support::no("attention-sink tokens");
  if (problem.sink_logit) return Support::no("a sink logit in the denominator");
  if (problem.soft_cap != 0) return Support::no("a soft cap");
  return {};
}

// The variants that differ in sparse_prefill alone.
Support supported_sparse(const Problem& problem) {
  if (problem.op != Operator::sparse_prefill)
    return Support::no(fmt::format("operator {}: only sparse_prefill", name_of(problem.op)));
  return supported(problem);
}

class Fused : public Implementation {
 public:
  std::string_view name() const override { return "fused"; }
  std::string_view description() const override {
    return "one kernel of four waves, microscaled FP8 all the way: scales are operands of the matrix products";
  }
  Support supports(const Problem& problem) const override { return supported(problem); }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    if (problem.op == Operator::sparse_prefill)
      return std::make_unique<sparse::SparsePlan>(sparse::hardware_scales, problem, host, device);
    return std::make_unique<FusedPlan>(problem, host, device);
  }
};

class FusedSoftware final : public Implementation {
 public:
  std::string_view name() const override { return "fused_software"; }
  std::string_view description() const override {
    return "fused's sparse_prefill with scales applied to fp32 sums, as in aiter's pull request 3583";
  }
  Support supports(const Problem& problem) const override { return supported_sparse(problem); }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    return std::make_unique<sparse::SparsePlan>(sparse::software_scales, problem, host, device);
  }
};

const RegisterImplementation<Fused> fused;
const RegisterImplementation<FusedSoftware> software;

} // namespace
} // namespace fmha950::fused
