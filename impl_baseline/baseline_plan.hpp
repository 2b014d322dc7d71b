#pragma once
// A prepared problem: one launch.

#include "attention/host/work_items.hpp"
#include "impl_baseline/kernel_arguments.hpp"
#include "interface/hip.hpp"
#include "interface/implementation.hpp"

#include <string>
#include <vector>

namespace fmha950::baseline {

// Code object and kernel that a supported problem runs on.
struct KernelChoice {
  std::string code_object, kernel;
};
KernelChoice choose_kernel(const Problem& problem);

// What the kernels of attention are given. `score_descale`: of Q and of K per tensor, as far as scores have
// not been multiplied by it already; `value_scale`: likewise of V. Throws InvalidInput for pages 4 GiB apart.
AttentionArguments attention_arguments(const Problem& problem, const DeviceTensors& device,
                                       const attention::WorkItem* work, double score_descale,
                                       float value_scale);

class BaselinePlan final : public Plan {
 public:
  // The inputs have been validated and are supported. Throws InvalidInput for what the kernel's 32-bit
  // numbers do not hold: pages 4 GiB apart, more than 2^29 rows of a request, 2^31 entries of the page table.
  BaselinePlan(const Problem& problem, const Tensors& host, const DeviceTensors& device);

  std::string variant() const override { return variant_; }
  size_t workspace_bytes() const override { return work_items_.bytes(); }
  ProbabilityRounding probability_rounding() const override;
  int query_tile() const override;
  TileShape score_tile() const override;
  std::vector<LaunchWorkgroups> workgroups_for(const std::vector<QueryRow>& rows) const override;
  void enqueue(hip::Stream stream) override;
  void enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) override;

 private:
  void launch(hip::Stream stream, const std::vector<uint32_t>* only);

  Problem problem_;
  std::string variant_;
  std::vector<attention::Work> work_;
  hip::Buffer work_items_;
  hip::Kernel kernel_;
  AttentionArguments arguments_;
};

} // namespace fmha950::baseline
