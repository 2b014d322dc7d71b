// "prepass": dequantise the touched FP8 pages or rows to bf16, then bf16 flash attention. The yardstick of
// the FP8 kernels.

#include "attention/host/paged_features.hpp"
#include "impl_prepass/prepass_costs.hpp"
#include "impl_prepass/prepass_plan.hpp"
#include "impl_prepass/sparse/dequantising_plan.hpp"
#include "interface/validate.hpp"
#include "operators/batch_prefill/batch_prefill.hpp"
#include "operators/sparse_prefill/sparse_prefill.hpp"

namespace fmha950::prepass {
namespace {

static_assert(head_dim == 128 && mla_key_dim == 192, "as the features say");

// One type enters the matrix instructions: bf16, to which FP8 widens exactly, or fp16 throughout.
FeatureSet batch_features(std::vector<std::string> types, std::string output, std::string columns = "128") {
  const bool mla = columns != "128";
  return attention::with_pages(
      {
          has_operator(batch_prefill),
          any_number(feature::kv_heads),
          any_number(feature::heads_per_kv_head),
          {feature::types, std::move(types)},
          {feature::output, {std::move(output)}},
          {feature::head_dim, {std::move(columns)}},
          {feature::layout, {"linear", "vectorized", "hnd"}},
          {feature::batch_invariant},
          {feature::tensor_descales},
          {feature::page_descales, attention::all_page_sizes()},
          mla ? Has{feature::mx, {}, "microscaling (quant=mx) with head_dim 192:128"} : Has{feature::mx},
          {feature::strided},
          {feature::interleaved},
          {feature::window},
          {feature::soft_cap, {}, "soft cap"},
      },
      attention::all_page_sizes());
}

FeatureSet sparse_features() {
  return {
      has_operator(sparse_prefill),
      any_number(feature::kv_heads),
      any_number(feature::heads_per_kv_head),
      {feature::types, {"bf16 with bf16", "fp8 with fp8"}},
      {feature::output, {"bf16"}},
      {feature::head_dim, {"512"}},
      {feature::sink_logit},
      {feature::lse},
      {feature::row_format, {"split", "packed"}},
  };
}

class Prepass final : public Implementation {
 public:
  std::string_view name() const override { return "prepass"; }
  std::string_view description() const override {
    return "dequantise touched pages or rows to bf16, then bf16 flash attention (8 waves, ping-pong)";
  }
  // With 16 bits in queries it rounds no more than the others; of FP8 it is the yardstick.
  Rank rank(const Problem& problem) const override {
    return problem.op == batch_prefill && problem.query_type != ElementType::fp8 ? Rank::usual : Rank::others;
  }
  std::optional<double> estimated_seconds(const Problem& problem) const override {
    return prepass::estimated_seconds(problem);
  }
  const std::vector<FeatureSet>& features() const override {
    static const std::vector<FeatureSet> sets = {
        batch_features({"bf16 with bf16", "bf16 with fp8", "fp8 with bf16", "fp8 with fp8"}, "bf16"),
        batch_features({"fp16 with fp16"}, "fp16"),
        batch_features({"bf16 with bf16", "bf16 with fp8", "fp8 with bf16", "fp8 with fp8"}, "bf16",
                       "192:128"),
        sparse_features(),
    };
    return sets;
  }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    if (problem.op == sparse_prefill)
      return std::make_unique<sparse::DequantisingPlan>(problem, host, device);
    return std::make_unique<PrepassPlan>(problem, host, device, attention_variant(problem));
  }
};

const RegisterImplementation<Prepass> registration;

} // namespace
} // namespace fmha950::prepass
