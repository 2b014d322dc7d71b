// "pipelined": FP8 attention straight from the paged cache, after CK's V3 pipeline.

#include "attention/host/paged_features.hpp"
#include "impl_pipelined/pipelined_plan.hpp"
#include "interface/validate.hpp"
#include "operators/batch_prefill/batch_prefill.hpp"

namespace fmha950::pipelined {
namespace {

static_assert(keys_per_tile == 64 && head_dim == 128, "as the features say");

FeatureSet batch_features() {
  constexpr int most_kv_heads = (1 << 24) / head_dim - 1; // key_rows.hpp: from row to row
  return attention::with_pages({
      has_operator(batch_prefill),
      up_to(feature::kv_heads, most_kv_heads),
      any_number(feature::heads_per_kv_head),
      {feature::types, {"fp8 with fp8"}},
      {feature::output, {"bf16"}},
      {feature::head_dim, {"128"}},
      {feature::layout, {"linear"}},
      {feature::batch_invariant},
      {feature::tensor_descales},
      {feature::page_descales, {"64", "128", "1024"}, "a tile of 64 keys needs one descale"},
      {feature::soft_cap},
  });
}

class Pipelined : public Implementation {
 public:
  explicit Pipelined(MatrixPath path) : path_(path) {}
  const std::vector<FeatureSet>& features() const override {
    static const std::vector<FeatureSet> sets = {batch_features()};
    return sets;
  }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    return std::make_unique<PipelinedPlan>(problem, host, device, path_);
  }

 private:
  MatrixPath path_;
};

class PipelinedF8f6f4 final : public Pipelined {
 public:
  PipelinedF8f6f4() : Pipelined(MatrixPath::f8f6f4) {}
  std::string_view name() const override { return "pipelined"; }
  Rank rank() const override { return Rank::fastest; }
  std::string_view description() const override {
    return "FP8 throughout, two ping-pong groups of four waves (CK's V3), 32x32x64 f8f6f4 products";
  }
};

class PipelinedFp8 final : public Pipelined {
 public:
  PipelinedFp8() : Pipelined(MatrixPath::fp8) {}
  std::string_view name() const override { return "pipelined_x16"; }
  std::string_view description() const override {
    return "the same with 32x32x16 fp8 products, at half the matrix rate";
  }
};

const RegisterImplementation<PipelinedF8f6f4> f8f6f4;
const RegisterImplementation<PipelinedFp8> fp8;

} // namespace
} // namespace fmha950::pipelined
