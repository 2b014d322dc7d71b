#pragma once
// One planned case on the device, run as often as there are variations.

#include "harness/device/device_case.hpp"
#include "harness/device/variation.hpp"

#include <memory>

namespace fmha950::harness {

struct RunOutputs {
  RowOutputs rows;
  // Wall time of enqueue and synchronise: on the embedded device its own speed, not the GPU's.
  double milliseconds = 0;
};

class CaseRun {
 public:
  CaseRun(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
          std::shared_ptr<DeviceCache> cache = nullptr);
  const Plan& plan() const { return *plan_; }
  const DeviceCase& device() const { return device_; }
  // Poisons the outputs of `rows`, restores the cache, runs, and brings the outputs back. `restricted`: only
  // the workgroups that they depend on.
  RunOutputs run(const Variation& variation, const std::vector<QueryRow>& rows, bool restricted = false);

 private:
  DeviceCase device_;
  std::unique_ptr<Plan> plan_;
};

} // namespace fmha950::harness
