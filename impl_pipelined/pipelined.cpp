// "pipelined": FP8 attention straight from the paged cache, after CK's V3 pipeline.

#include "attention/host/fp8_support.hpp"
#include "impl_pipelined/pipelined_plan.hpp"
#include "interface/validate.hpp"

#include <fmt/format.h>

namespace fmha950::pipelined {
namespace {

class Pipelined : public Implementation {
 public:
  explicit Pipelined(MatrixPath path) : path_(path) {}
  Support supports(const Problem& problem) const override {
    constexpr int most_kv_heads = (1 << 24) / head_dim - 1; // key_rows.hpp: from row to row
    if (problem.kv_heads > most_kv_heads)
      return Support::no(fmt::format("{} KV heads: at most {}", problem.kv_heads, most_kv_heads));
    return attention::fp8_support(problem,
                                  {.head_dim = head_dim, .keys_per_tile = keys_per_tile, .soft_cap = true});
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
