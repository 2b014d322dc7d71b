#pragma once
// A prepared problem: one launch.

#include "attention/host/tiled_plan.hpp"
#include "impl_fused/kernel_arguments.hpp"
#include "interface/implementation.hpp"

#include <string>

namespace fmha950::fused {

// The kernel that a supported problem runs on, and its code object.
std::string kernel_of(const Problem& problem);
std::string code_object_of(const Problem& problem);

class FusedPlan final : public attention::TiledPlan {
 public:
  // The inputs have been validated and are supported. Throws InvalidInput for what the kernels' 32-bit
  // numbers do not hold, and for V descales of pages too far apart.
  FusedPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device);

  std::string variant() const override { return code_object_of(problem()) + "/" + kernel_of(problem()); }
  size_t workspace_bytes() const override { return items_bytes(); }
  ProbabilityRounding probability_rounding() const override { return {ElementType::fp8, fp8_shift}; }
};

} // namespace fmha950::fused
