#include "harness/device/case_run.hpp"

#include <chrono>

namespace fmha950::harness {

CaseRun::CaseRun(const Implementation& implementation, const Problem& problem, const Tensors& tensors,
                 std::shared_ptr<DeviceCache> cache)
    : device_(problem, tensors, std::move(cache)),
      plan_(implementation.plan(problem, tensors, device_.tensors())) {}

RunOutputs CaseRun::run(const Variation& variation, const std::vector<QueryRow>& rows, bool restricted) {
  apply(variation);
  device_.poison(rows);
  if (DeviceCache* cache = device_.cache()) cache->before_run(!restricted);
  const auto begin = std::chrono::steady_clock::now();
  if (restricted)
    plan_->enqueue_restricted(nullptr, plan_->workgroups_for(rows));
  else
    plan_->enqueue(nullptr);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  const auto end = std::chrono::steady_clock::now();
  return {device_.download(rows), std::chrono::duration<double, std::milli>(end - begin).count()};
}

} // namespace fmha950::harness
