// "pipelined": FP8 attention straight from the paged cache, after CK's V3 pipeline.

#include "attention/host/paged_features.hpp"
#include "impl_pipelined/pipelined_costs.hpp"
#include "impl_pipelined/pipelined_plan.hpp"
#include "interface/validate.hpp"
#include "operators/batch_prefill/batch_prefill.hpp"

#include <algorithm>

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
  explicit Pipelined(Path path, FeatureSet features = batch_features())
      : path_(path), features_({std::move(features)}) {}
  const std::vector<FeatureSet>& features() const override { return features_; }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    validate(problem, host, device);
    return std::make_unique<PipelinedPlan>(problem, host, device, path_);
  }

 private:
  Path path_;
  std::vector<FeatureSet> features_;
};

class PipelinedF8f6f4 final : public Pipelined {
 public:
  PipelinedF8f6f4() : Pipelined(Path::f8f6f4) {}
  std::string_view name() const override { return "pipelined"; }
  Rank rank(const Problem&) const override { return Rank::first; }
  std::optional<double> estimated_seconds(const Problem& problem) const override {
    return pipelined::estimated_seconds(problem);
  }
  std::string_view description() const override {
    return "FP8 throughout, two ping-pong groups of four waves (CK's V3), 32x32x64 f8f6f4 products";
  }
};

class PipelinedFp8 final : public Pipelined {
 public:
  PipelinedFp8() : Pipelined(Path::fp8) {}
  std::string_view name() const override { return "pipelined_x16"; }
  std::string_view description() const override {
    return "the same with 32x32x16 fp8 products, at half the matrix rate";
  }
};

// The mean error of such a P cancels in the output. In an LSE it would have to be taken off, and the guide does not say which
// it is: v_cvt_pk_u8_f32 may round to nearest or truncate (docs/silicon_check.md).
FeatureSet direct_features() {
  FeatureSet features = batch_features();
  const auto refuse = [&](std::string_view kind, std::string why) {
    *std::ranges::find(features, kind, &Has::kind) = {kind, {}, std::move(why)};
  };
  refuse(feature::lse,
         "the mean error of a P by v_cvt_pk_u8_f32 depends on how it rounds, which is not public");
  refuse(feature::soft_cap, "it takes exponentials, and a P without any then gains nothing");
  return features;
}

class PipelinedDirectP final : public Pipelined {
 public:
  PipelinedDirectP() : Pipelined(Path::direct_p, direct_features()) {}
  std::string_view name() const override { return "pipelined_direct_p"; }
  std::string_view description() const override {
    return "pipelined with P's fp8 codes straight from scores: no exponentials, P linear between powers of "
           "two";
  }
};

const RegisterImplementation<PipelinedF8f6f4> f8f6f4;
const RegisterImplementation<PipelinedFp8> fp8;
const RegisterImplementation<PipelinedDirectP> direct_p;

} // namespace
} // namespace fmha950::pipelined
