#pragma once
// A prepared problem: re-layout of K, re-layout of V, attention.

#include "attention/host/work_items.hpp"
#include "impl_prepass/kernel_arguments.hpp"
#include "impl_prepass/kv_slots.hpp"
#include "interface/hip.hpp"
#include "interface/implementation.hpp"

#include <string>
#include <vector>

namespace fmha950::prepass {

// The attention kernel that a supported problem runs on.
std::string attention_variant(const Problem& problem);

class PrepassPlan final : public Plan {
 public:
  // The inputs have been validated and are supported. `variant` is the code object with kernel two.
  PrepassPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device, std::string variant);

  std::string variant() const override { return variant_; }
  size_t workspace_bytes() const override;
  ProbabilityRounding probability_rounding() const override { return {problem_.output_type, 0}; }
  int query_tile() const override;
  TileShape score_tile() const override;
  std::vector<LaunchWorkgroups> workgroups_for(const std::vector<QueryRow>& rows) const override;
  void enqueue(hip::Stream stream) override;
  void enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) override;

 private:
  struct Relayout {
    hip::Kernel kernel;
    RelayoutArguments arguments;
    unsigned rows_per_workgroup; // of one head's scratch
  };

  Relayout plan_relayout(const Tensors& host, const DeviceTensors& device, bool is_k) const;
  void plan_attention(const Tensors& host, const DeviceTensors& device);
  hip::Dim3 grid_of(const Relayout& relayout) const;
  std::vector<uint32_t> relayout_workgroups(const Relayout& relayout, const std::vector<bool>& slots) const;
  void launch(hip::Stream stream, const std::vector<LaunchWorkgroups>* only);

  std::string variant_;
  Problem problem_;
  KvSlots slots_;
  std::vector<attention::Work> work_;
  hip::Buffer scratch_[2]; // K, V
  hip::Buffer slot_descale_[2];
  hip::Buffer pages_, request_slots_, work_items_;
  Relayout relayout_[2];
  hip::Kernel attention_;
  AttentionArguments attention_arguments_;
};

} // namespace fmha950::prepass
