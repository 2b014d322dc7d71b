#pragma once
// A prepared problem: one launch.

#include "attention/host/tiled_plan.hpp"
#include "impl_baseline/kernel_arguments.hpp"
#include "interface/implementation.hpp"

#include <string>
#include <vector>

namespace fmha950::baseline {

// Of kernels for these types of queries and keys, "bf16 with fp8".
FeatureSet batch_features(std::vector<std::string> types, ElementType output);
// Of its kernels with trees, for these head_dims.
FeatureSet tree_features(std::vector<std::string> types, ElementType output,
                         std::vector<std::string> head_dims);

// Code object and kernel that a supported problem runs on.
struct KernelChoice {
  std::string code_object, kernel;
};
KernelChoice choose_kernel(const Problem& problem);

class BaselinePlan final : public attention::TiledPlan {
 public:
  // The inputs have been validated and are supported. Throws InvalidInput for what the kernel's 32-bit
  // numbers do not hold: pages 4 GiB apart, more than 2^29 rows of a request, 2^31 entries of the page table.
  BaselinePlan(const Problem& problem, const Tensors& host, const DeviceTensors& device);

  std::string variant() const override { return variant_; }
  size_t workspace_bytes() const override { return items_bytes(); }
  ProbabilityRounding probability_rounding() const override;

 private:
  std::string variant_;
};

} // namespace fmha950::baseline
