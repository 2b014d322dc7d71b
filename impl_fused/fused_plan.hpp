#pragma once
// A prepared problem: one launch.

#include "attention/host/work_items.hpp"
#include "impl_fused/kernel_arguments.hpp"
#include "interface/hip.hpp"
#include "interface/implementation.hpp"

#include <string>
#include <vector>

namespace fmha950::fused {

// The kernel of code object `fused` that a supported problem runs on.
std::string kernel_of(const Problem& problem);

class FusedPlan final : public Plan {
 public:
  // The inputs have been validated and are supported. Throws InvalidInput for what the kernels' 32-bit
  // numbers do not hold, and for V descales of pages too far apart.
  FusedPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device);

  std::string variant() const override { return "fused/" + kernel_.name; }
  size_t workspace_bytes() const override { return work_items_.bytes(); }
  ProbabilityRounding probability_rounding() const override { return {ElementType::fp8, probability_shift}; }
  int query_tile() const override;
  TileShape score_tile() const override;
  std::vector<LaunchWorkgroups> workgroups_for(const std::vector<QueryRow>& rows) const override;
  void enqueue(hip::Stream stream) override { launch(stream, nullptr); }
  void enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) override {
    launch(stream, &only.at(0).workgroups);
  }

 private:
  void launch(hip::Stream stream, const std::vector<uint32_t>* only);

  Problem problem_;
  std::vector<attention::Work> work_;
  hip::Buffer work_items_;
  hip::Kernel kernel_;
  AttentionArguments arguments_;
};

} // namespace fmha950::fused
