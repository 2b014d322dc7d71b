#include "emulator/timing/kernel_time.hpp"

#include "emulator/rates/latencies.hpp"
#include "emulator/timing/model/chiplet.hpp"
#include "emulator/timing/record/neighbour.hpp"

#include <algorithm>
#include <deque>

namespace fmha950::timing {
namespace {

// A small grid leaves places on the CUs empty.
int resident_of(const KernelRecord& kernel) {
  constexpr uint64_t cus = chiplets * cus_per_chiplet;
  const uint64_t of_grid = std::max<uint64_t>(1, (kernel.grid_workgroups + cus - 1) / cus);
  return static_cast<int>(std::min<uint64_t>(of_grid, static_cast<uint64_t>(kernel.workgroups_per_cu)));
}

int busy_cus_of(const KernelRecord& kernel) {
  const uint64_t of_chiplet = (kernel.grid_workgroups + chiplets - 1) / chiplets;
  return static_cast<int>(std::clamp<uint64_t>(of_chiplet, 1, cus_per_chiplet));
}

// All chiplets take as long as chiplet 0. What was not recorded of it comes in as many rounds again.
GpuTime gpu_time_of_chiplet(const KernelRecord& kernel, const Simulation& run) {
  const uint64_t recorded = run.workgroups.size(),
                 all = (kernel.grid_workgroups + chiplets - 1) / chiplets; // of chiplet 0
  GpuTime gpu;
  if (recorded == 0) return gpu;
  const uint64_t rounds = (all + recorded - 1) / recorded;
  gpu.clocks = static_cast<double>(rounds * run.clocks);
  // A CU that has work counts until the end: the units' shares are of the whole run.
  gpu.occupied = static_cast<double>(run.cus) / cus_per_chiplet *
                 static_cast<double>(kernel.grid_workgroups) /
                 static_cast<double>(rounds * recorded * chiplets);
  if (recorded == all) gpu.sampling_error = 0;
  return gpu;
}

} // namespace

KernelTime time_of(const KernelRecord& kernel, const Mall& mall, Placement placement,
                   const Assumptions& assumptions, bool timeline, WorkAxis axis) {
  KernelTime time;
  time.resident = resident_of(kernel);
  if (placement == Placement::chiplet) {
    std::vector<CuWork> cus(cus_per_chiplet);
    size_t next = 0;
    for (const WorkgroupRecord& workgroup : kernel.workgroups)
      if (workgroup.linear_id % chiplets == 0) cus[next++ % cus.size()].push_back(&workgroup);
    std::erase_if(cus, [](const CuWork& work) { return work.empty(); });
    time.runs.push_back(
        simulate(kernel, mall, cus, static_cast<int>(cus.size()), time.resident, assumptions, timeline));
    time.gpu = gpu_time_of_chiplet(kernel, time.runs.front());
    return time;
  }
  for (const WorkgroupRecord& workgroup : kernel.workgroups) {
    std::deque<WorkgroupRecord> copies;
    CuWork work = {&workgroup};
    for (int number = 1; number < time.resident; ++number)
      work.push_back(workgroup.shared
                         ? &copies.emplace_back(copy_beside(workgroup, static_cast<uint64_t>(number)))
                         : &workgroup);
    time.runs.push_back(
        simulate(kernel, mall, {work}, busy_cus_of(kernel), time.resident, assumptions, timeline));
    time.samples.push_back({workgroup.linear_id, time.runs.back().clocks});
  }
  if (!time.samples.empty()) time.gpu = gpu_time(time.samples, kernel.grid_workgroups, time.resident, axis);
  return time;
}

} // namespace fmha950::timing
