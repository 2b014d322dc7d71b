#pragma once
// A prepared sparse_prefill: dequantisation of Q, of the pool's and of the chunk's listed rows to scratch, if
// they are fp8, and attention over rows of bf16.

#include "attention/host/launched_plan.hpp"
#include "impl_prepass/sparse/dequantised_rows.hpp"
#include "interface/implementation.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fmha950::prepass::sparse {

class DequantisingPlan final : public attention::LaunchedPlan {
 public:
  // The inputs have been validated and are supported.
  DequantisingPlan(const Problem& problem, const Tensors& host, const DeviceTensors& device);

  std::string variant() const override { return variant_; }
  size_t workspace_bytes() const override;
  std::optional<double> planning_milliseconds() const override { return planning_milliseconds_; }
  ProbabilityRounding probability_rounding() const override { return {ElementType::bf16, 0}; }
  int query_tile() const override { return 1; }
  TileShape score_tile() const override { return score_tile_; }

 private:
  void add_dequantise_launch(const DeviceSparseTensors& device);
  void add_attention_launch(const DeviceTensors& device);
  std::vector<uint32_t> dequantise_workgroups_of(const std::vector<QueryRow>& rows) const;
  std::vector<uint32_t> attention_workgroups_of(const std::vector<QueryRow>& rows,
                                                unsigned workgroups_per_token) const;

  Problem problem_;
  SparseTensors host_;                       // handles, for the lists
  std::vector<DequantisedRows> dequantised_; // of Q, pool and chunk, or none
  std::optional<double> planning_milliseconds_;
  std::string variant_;
  TileShape score_tile_;
};

} // namespace fmha950::prepass::sparse
