#pragma once
// From some workgroups' clocks to the whole GPU's: every workgroup goes to the first free place of its
// chiplet, in dispatch order (machine_gfx950.md 6.1: workgroup n to chiplet n mod 8).

#include <cstdint>
#include <optional>
#include <span>

namespace fmha950::timing {

struct SampledWorkgroup {
  uint64_t linear_id = 0, clocks = 0;
};

struct GpuTime {
  double clocks = 0; // of the launch, without the cost of dispatching it
  // The relative uncertainty of the clocks, as the root of the sum of two squares:
  //   - How far samples lie from the line between their neighbours: root mean square, divided by the root of
  //     their number. This is the error of a mean (many rounds).
  //   - How much the clocks change if one sample is left out: root of the sum of squares over the samples.
  //     This is the error of the last workgroup's end (one round).
  // 0 if every workgroup was sampled. None if at most two of more were: no sample has two neighbours then.
  std::optional<double> sampling_error;
};

// `samples`: ascending ids, at least one. Workgroups between two samples take what lies between theirs.
GpuTime gpu_time(std::span<const SampledWorkgroup> samples, uint64_t grid_workgroups, int workgroups_per_cu);

} // namespace fmha950::timing
