#pragma once
// A prepared sparse_prefill: one launch, no scratch but the order of tokens.

#include "attention/host/launched_plan.hpp"
#include "impl_fused/sparse/kernel_arguments.hpp"
#include "interface/implementation.hpp"

#include <string>
#include <vector>

namespace fmha950::fused::sparse {

// A set of kernels, of 16 heads and more in a workgroup.
struct Kernels {
  const char* code_object;
  int most_heads; // of a workgroup, a power of two
  ProbabilityRounding probability_rounding;
};
inline constexpr Kernels hardware_scales = {"fused_sparse", 64, {ElementType::bf16, 0}};
inline constexpr Kernels software_scales = {"fused_sparse_software", 32, {ElementType::bf16, 0}};
inline constexpr Kernels fp8_values = {"fused_sparse_fp8_pv", 32, {ElementType::fp8, fp8_shift, true}};

class SparsePlan final : public attention::LaunchedPlan {
 public:
  // The inputs have been validated and are supported.
  SparsePlan(const Kernels& kernels, const Problem& problem, const Tensors& host,
             const DeviceTensors& device);

  std::string variant() const override { return variant_; }
  size_t workspace_bytes() const override { return device_tokens_.bytes(); }
  ProbabilityRounding probability_rounding() const override { return kernels_.probability_rounding; }
  int query_tile() const override { return 1; }
  TileShape score_tile() const override { return {heads_, keys_per_tile}; }

 private:
  // In a grid of tokens by `workgroups_per_token`, which have heads each.
  std::vector<uint32_t> workgroups_of(const std::vector<QueryRow>& rows, unsigned workgroups_per_token) const;

  Kernels kernels_;
  int heads_;                   // of a workgroup
  std::vector<int32_t> tokens_; // of workgroup x
  hip::Buffer device_tokens_;
  std::string variant_;
};

} // namespace fmha950::fused::sparse
