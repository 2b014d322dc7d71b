// "fused": one kernel, FP8 all the way, with MX scales as operands of the matrix instructions.

#include "attention/host/paged_features.hpp"
#include "impl_fused/fused_costs.hpp"
#include "impl_fused/fused_plan.hpp"
#include "impl_fused/sparse/sparse_plan.hpp"
#include "interface/validate.hpp"
#include "operators/batch_prefill/batch_prefill.hpp"
#include "operators/sparse_prefill/sparse_prefill.hpp"

namespace fmha950::fused {
namespace {

static_assert(keys_per_tile == 64 && head_dim == 128, "as the features say");

// Of batch_prefill, with K and V of one type and these scales.
FeatureSet batch_features(const char* types, const FeatureSet& scales,
                          const std::vector<std::string>& page_sizes = attention::usual_page_sizes()) {
  FeatureSet features = {
      has_operator(batch_prefill),   any_number(feature::kv_heads), any_number(feature::heads_per_kv_head),
      {feature::types, {types}},     {feature::output, {"bf16"}},   {feature::head_dim, {"128"}},
      {feature::layout, {"linear"}}, {feature::batch_invariant},
  };
  features.insert(features.end(), scales.begin(), scales.end());
  return attention::with_pages(features, page_sizes);
}

FeatureSet fp8_features() {
  return batch_features(
      "fp8 with fp8", {{feature::tensor_descales},
                       {feature::page_descales, {"64", "128", "1024"}, "a tile of 64 keys needs one descale"},
                       {feature::mx}});
}

// Two elements in a byte are an operand as they are stored; fp32 descales have no place beside E2M1.
FeatureSet mxfp4_features() {
  return batch_features("fp8 with mxfp4", {{feature::mx}}, {"32", "64", "128", "1024"});
}

FeatureSet sparse_features() {
  return {
      has_operator(sparse_prefill),
      any_number(feature::kv_heads),
      any_number(feature::heads_per_kv_head),
      {feature::types, {"fp8 with fp8"}},
      {feature::output, {"bf16"}},
      {feature::head_dim, {"512"}},
      {feature::sink_logit},
      {feature::lse},
      {feature::row_format, {"split", "packed"}},
  };
}

class Fused final : public Implementation {
 public:
  std::string_view name() const override { return "fused"; }
  std::string_view description() const override {
    return "one kernel of four waves, microscaled FP8 all the way: scales are operands of the matrix "
           "products";
  }
  Rank rank(const Problem&) const override { return Rank::usual; }
  std::optional<double> estimated_seconds(const Problem& problem) const override {
    return attention::estimated_seconds(problem, costs);
  }
  const std::vector<FeatureSet>& features() const override {
    static const std::vector<FeatureSet> sets = {fp8_features(), sparse_features()};
    return sets;
  }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    if (problem.op == sparse_prefill)
      return std::make_unique<sparse::SparsePlan>(sparse::hardware_scales, problem, host, device);
    return std::make_unique<FusedPlan>(problem, host, device);
  }
};

class FusedMxfp4 final : public Implementation {
 public:
  std::string_view name() const override { return "fused_mxfp4"; }
  std::string_view description() const override {
    return "fused's batch_prefill with K and V in MXFP4: E2M1 is an operand beside FP8, its scales, too";
  }
  const std::vector<FeatureSet>& features() const override {
    static const std::vector<FeatureSet> sets = {mxfp4_features()};
    return sets;
  }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    return std::make_unique<FusedPlan>(problem, host, device);
  }
};

// fused with other kernels for sparse_prefill, the one operator in which it differs.
class SparseVariant : public Implementation {
 public:
  explicit SparseVariant(const sparse::Kernels& kernels) : kernels_(kernels) {}
  const std::vector<FeatureSet>& features() const override {
    static const std::vector<FeatureSet> sets = {sparse_features()};
    return sets;
  }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    return std::make_unique<sparse::SparsePlan>(kernels_, problem, host, device);
  }

 private:
  const sparse::Kernels& kernels_;
};

class FusedSoftware final : public SparseVariant {
 public:
  FusedSoftware() : SparseVariant(sparse::software_scales) {}
  std::string_view name() const override { return "fused_software"; }
  std::string_view description() const override {
    return "fused's sparse_prefill with scales applied to fp32 sums, as in aiter's pull request 3583";
  }
};

class FusedFp8Values final : public SparseVariant {
 public:
  FusedFp8Values() : SparseVariant(sparse::fp8_values) {}
  std::string_view name() const override { return "fused_fp8_pv"; }
  std::string_view description() const override {
    return "fused's sparse_prefill with P and V in FP8, a P for every scale block";
  }
};

const RegisterImplementation<Fused> fused;
const RegisterImplementation<FusedSoftware> software;
const RegisterImplementation<FusedFp8Values> fp8_values;
const RegisterImplementation<FusedMxfp4> mxfp4;

} // namespace
} // namespace fmha950::fused
