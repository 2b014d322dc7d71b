#pragma once
// A prepared sparse_prefill: dequantisation of Q, of the pool's and of the chunk's listed rows to scratch, if
// they are fp8, and attention over rows of bf16.

#include "impl_prepass/sparse/dequantised_rows.hpp"
#include "interface/implementation.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fmha950::prepass::sparse {

class SparsePlan final : public Plan {
 public:
  // The inputs have been validated and are supported.
  SparsePlan(const Problem& problem, const Tensors& host, const DeviceTensors& device);

  std::string variant() const override;
  size_t workspace_bytes() const override;
  std::optional<double> planning_milliseconds() const override { return planning_milliseconds_; }
  ProbabilityRounding probability_rounding() const override { return {ElementType::bf16, 0}; }
  int query_tile() const override { return 1; }
  TileShape score_tile() const override { return score_tile_; }
  std::vector<LaunchWorkgroups> workgroups_for(const std::vector<QueryRow>& rows) const override;
  void enqueue(hip::Stream stream) override;
  void enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) override;

 private:
  void plan_dequantisation(const DeviceSparseTensors& device);
  void plan_attention(const DeviceTensors& device);
  void launch(hip::Stream stream, const std::vector<LaunchWorkgroups>* only);

  Problem problem_;
  SparseTensors host_;                       // handles, for the lists
  std::vector<DequantisedRows> dequantised_; // of Q, pool and chunk, or none
  hip::Kernel dequantise_;
  std::optional<double> planning_milliseconds_;
  hip::Kernel attention_;
  unsigned threads_ = 0, head_groups_ = 0; // of an attention workgroup; workgroups of a token
  TileShape score_tile_;
  AttentionArguments arguments_ = {};
};

} // namespace fmha950::prepass::sparse
