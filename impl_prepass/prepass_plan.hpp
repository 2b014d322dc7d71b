#pragma once
// A prepared problem: re-layout of K, re-layout of V, attention.

#include "attention/host/carry.hpp"
#include "attention/host/tiled_plan.hpp"
#include "impl_prepass/kernel_arguments.hpp"
#include "impl_prepass/kv_slots.hpp"
#include "interface/implementation.hpp"

#include <string>
#include <vector>

namespace fmha950::prepass {

// The attention kernel that a supported problem runs on.
std::string attention_variant(const Problem& problem);

class PrepassPlan final : public attention::TiledPlan {
 public:
  // The inputs have been validated and are supported. `variant` is the code object with kernel two.
  PrepassPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device, std::string variant);

  std::string variant() const override { return variant_; }
  size_t workspace_bytes() const override;
  ProbabilityRounding probability_rounding() const override { return {problem().output_type, 0}; }

 private:
  void add_relayout_launch(const Tensors& host, const DeviceTensors& device, bool is_k);
  void add_attention_launch(const Tensors& host, const DeviceTensors& device);
  std::vector<bool> slots_of(const std::vector<QueryRow>& rows) const; // which of the slots the rows need
  std::vector<uint32_t> relayout_workgroups_of(const std::vector<bool>& slots, hip::Dim3 grid,
                                               unsigned rows_per_workgroup) const;

  std::string variant_;
  KvSlots slots_;
  attention::PieceBuffer scratch_[2]; // K, V: a piece for each KV head
  attention::PieceBuffer slot_descale_[2];
  hip::Buffer pages_, first_rows_, request_slots_;
};

} // namespace fmha950::prepass
