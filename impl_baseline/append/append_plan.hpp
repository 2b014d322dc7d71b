#pragma once
// A prepared problem of append_prefill: one launch that appends and attends, or one for each.

#include "attention/host/tiled_plan.hpp"
#include "impl_baseline/append/append_arguments.hpp"
#include "interface/implementation.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace fmha950::baseline::append {

enum class Form : uint8_t { fused, two_launch };

FeatureSet features(ElementType chunk); // of kernels for a chunk of this type
std::string code_object_of(const Problem& problem);
// In the order of their launches, which have the same workgroups.
std::vector<std::string> kernels_of(Form form, const Problem& problem);

class AppendPlan final : public attention::TiledPlan {
 public:
  // The inputs have been validated and are supported. Throws InvalidInput for what the kernels' 32-bit
  // numbers do not hold.
  AppendPlan(Form form, std::string_view implementation, const Problem& problem, const Tensors& host,
             const DeviceTensors& device);

  std::string variant() const override { return variant_; }
  size_t workspace_bytes() const override { return items_bytes(); }
  ProbabilityRounding probability_rounding() const override { return {problem().query_type, 0}; }

 private:
  std::string variant_;
};

} // namespace fmha950::baseline::append
