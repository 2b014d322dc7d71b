#pragma once
// A prepared problem of append_prefill: one launch that appends and attends, or one for each.

#include "attention/host/work_items.hpp"
#include "impl_baseline/append/append_arguments.hpp"
#include "interface/hip.hpp"
#include "interface/implementation.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace fmha950::baseline::append {

enum class Form : uint8_t { fused, two_launch };

Support supports(const Problem& problem);
std::string code_object_of(const Problem& problem);
// In the order of their launches, which have the same workgroups.
std::vector<std::string> kernels_of(Form form);

class AppendPlan final : public Plan {
 public:
  // The inputs have been validated and are supported. Throws InvalidInput for what the kernels' 32-bit
  // numbers do not hold.
  AppendPlan(Form form, std::string_view implementation, const Problem& problem, const Tensors& host,
             const DeviceTensors& device);

  std::string variant() const override { return variant_; }
  size_t workspace_bytes() const override { return work_items_.bytes(); }
  ProbabilityRounding probability_rounding() const override { return {problem_.query_type, 0}; }
  int query_tile() const override;
  TileShape score_tile() const override;
  std::vector<LaunchWorkgroups> workgroups_for(const std::vector<QueryRow>& rows) const override;
  void enqueue(hip::Stream stream) override;
  void enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) override;

 private:
  void launch(hip::Stream stream, const std::vector<LaunchWorkgroups>* only);

  Problem problem_;
  std::string variant_;
  std::vector<attention::Work> work_;
  hip::Buffer work_items_;
  std::vector<hip::Kernel> kernels_;
  AppendArguments arguments_;
};

} // namespace fmha950::baseline::append
