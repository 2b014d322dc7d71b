#include "attention/host/launched_plan.hpp"

#include "gfx950/wave.hpp"
#include "numerics/target.hpp"

namespace fmha950::attention {

static_assert(gfx950::wave_lanes == target.wave_lanes); // kernels include no header of the host

std::vector<LaunchWorkgroups> LaunchedPlan::workgroups_for(const std::vector<QueryRow>& rows) const {
  std::vector<LaunchWorkgroups> all;
  for (const Launch& launch : launches_)
    all.push_back({launch.kernel.name, launch.needed(rows), launch.work});
  return all;
}

void LaunchedPlan::enqueue(hip::Stream stream) { launch_all(stream, nullptr); }

void LaunchedPlan::enqueue_restricted(hip::Stream stream, const std::vector<LaunchWorkgroups>& only) {
  launch_all(stream, &only);
}

void LaunchedPlan::launch_all(hip::Stream stream, const std::vector<LaunchWorkgroups>* only) const {
  for (size_t i = 0; i < launches_.size(); ++i) {
    const Launch& launch = launches_[i];
    hip::launch(launch.kernel, launch.grid, {launch.threads, 1, 1}, launch.arguments.data(),
                launch.arguments.size(), stream, only ? &only->at(i).workgroups : nullptr, 0, launch.work);
  }
}

} // namespace fmha950::attention
