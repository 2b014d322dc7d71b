#pragma once
// From some workgroups' clocks to the whole GPU's: every workgroup goes to the first free place of its
// chiplet, in dispatch order (machine_gfx950.md 6.1: workgroup n to chiplet n mod 8).

#include <cstdint>
#include <span>

namespace fmha950::timing {

struct SampledWorkgroup {
  uint64_t linear_id = 0, clocks = 0;
};

struct GpuTime {
  double clocks = 0; // of the launch, without the cost of dispatching it
  // What the clocks are uncertain by: how far a sample lies from the line between its neighbours, root mean
  // square relative to the mean, over the root of the number of samples. 0 without a sample between two
  // others.
  double sampling_error = 0;
};

// `samples`: ascending ids, at least one. Workgroups between two samples take what lies between theirs.
GpuTime gpu_time(std::span<const SampledWorkgroup> samples, uint64_t grid_workgroups, int workgroups_per_cu);

} // namespace fmha950::timing
