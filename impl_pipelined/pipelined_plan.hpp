#pragma once
// A prepared problem: the prefill kernel, and where keys are split, the combine kernel.

#include "attention/host/work_items.hpp"
#include "impl_pipelined/kernel_arguments.hpp"
#include "interface/hip.hpp"
#include "interface/implementation.hpp"

#include <string>
#include <vector>

namespace fmha950::pipelined {

enum class MatrixPath : uint8_t { f8f6f4, fp8 }; // 32x32x64 and 32x32x16 instructions

// The kernel that a supported problem runs on.
struct Variant {
  std::string code_object; // "pipelined_f8f6f4_blockscale"
  std::string kernel;      // "prefill_scattered_64_cap"
};
Variant variant_of(const Problem& problem, uint64_t pool_bytes, MatrixPath path);

class PipelinedPlan final : public Plan {
 public:
  // The inputs have been validated and are supported.
  PipelinedPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device, MatrixPath path);

  std::string variant() const override;
  size_t workspace_bytes() const override;
  ProbabilityRounding probability_rounding() const override;
  std::vector<PartialWeight> partial_weights(const std::vector<QueryRow>& rows) const override;
  int query_tile() const override;
  TileShape score_tile() const override;
  std::vector<LaunchWorkgroups> workgroups_for(const std::vector<QueryRow>& rows) const override;
  void enqueue(hip::Stream stream) override;
  void enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) override;

 private:
  void plan_work(const Tensors& host);
  PrefillArguments prefill_arguments(const Tensors& host, const DeviceTensors& device) const;
  uint32_t plan_joining(std::vector<attention::Work>& parts); // returns the blocks of partial results
  uint32_t combine_workgroups() const;
  bool splits() const { return parts_ > 1; }
  void launch(hip::Stream stream, const std::vector<LaunchWorkgroups>* only);

  Problem problem_;
  Variant variant_;
  std::vector<attention::Work> work_;
  int parts_ = 1; // the most of a tile's keys
  std::vector<CombineItem> joins_;
  hip::Buffer work_items_, partial_output_, partial_lse_, join_items_;
  hip::Kernel prefill_, combine_;
  PrefillArguments prefill_arguments_ = {};
  CombineArguments combine_arguments_ = {};
};

} // namespace fmha950::pipelined
