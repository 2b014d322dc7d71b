// "pipelined": FP8 attention straight from the paged cache, after CK's V3 pipeline.

#include "impl_pipelined/pipelined_plan.hpp"
#include "interface/names.hpp"
#include "interface/validate.hpp"

#include <fmt/format.h>

namespace fmha950::pipelined {
namespace {

Support supported(const Problem& problem) {
  using enum ElementType;
  if (problem.op != Operator::batch_prefill)
    return Support::no(fmt::format("operator {}: only batch_prefill", name_of(problem.op)));
  if (problem.query_type != fp8 || problem.kv_type != fp8)
    return Support::no(fmt::format("{} queries with {} keys: only fp8 with fp8", name_of(problem.query_type),
                                   name_of(problem.kv_type)));
  if (problem.output_type != bf16)
    return Support::no(fmt::format("{} output: only bf16", name_of(problem.output_type)));
  if (problem.head_dim != head_dim)
    return Support::no(fmt::format("head_dim {}: only {}", problem.head_dim, head_dim));
  if (problem.kv_layout != KvLayout::linear)
    return Support::no(fmt::format("{} layout: only linear", name_of(problem.kv_layout)));
  if (problem.quantisation == Quantisation::mx) return Support::no("MX quantisation");
  if (problem.quantisation == Quantisation::kv_blockscale && problem.page_size < keys_per_tile)
    return Support::no(fmt::format("descales per page with pages of {}: a tile of {} keys needs one descale",
                                   problem.page_size, keys_per_tile));
  if (problem.strided) return Support::no("strided views of K and V");
  if (problem.window) return Support::no("a sliding window");
  if (problem.sink_tokens != 0) return Support::no("attention-sink tokens");
  if (problem.sink_logit) return Support::no("a sink logit in the denominator");
  return {};
}

class Pipelined : public Implementation {
 public:
  explicit Pipelined(MatrixPath path) : path_(path) {}
  Support supports(const Problem& problem) const override { return supported(problem); }
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
