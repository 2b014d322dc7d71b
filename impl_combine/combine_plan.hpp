#pragma once
// A prepared merge: one launch, a workgroup for some rows.

#include "attention/host/launched_plan.hpp"

namespace fmha950::combine {

class CombinePlan final : public attention::LaunchedPlan {
 public:
  // The inputs have been validated and are supported.
  CombinePlan(const Problem& problem, const DeviceTensors& device);

  std::string variant() const override { return kernel_; }
  size_t workspace_bytes() const override { return 0; }
  ProbabilityRounding probability_rounding() const override { return {ElementType::fp32}; }
  int query_tile() const override;
  TileShape score_tile() const override;

 private:
  std::vector<uint32_t> workgroups_of(const std::vector<QueryRow>& rows) const;

  std::string kernel_;
  uint32_t heads_;
  uint32_t rows_of_workgroup_;
};

} // namespace fmha950::combine
