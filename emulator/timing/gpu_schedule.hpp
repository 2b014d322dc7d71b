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
  // What the clocks are uncertain by, relative, as a root of two squares: how far samples lie from the line
  // between their neighbours, root mean square over the root of their number, which is the error of a mean
  // (many rounds); and what the clocks change by as each sample is left out, the root of the sum of squares,
  // which is that of a last workgroup's end (one round). 0 where every workgroup was sampled; none where two
  // or fewer of more were, none of which lies between two others.
  std::optional<double> sampling_error;
};

// `samples`: ascending ids, at least one. Workgroups between two samples take what lies between theirs.
GpuTime gpu_time(std::span<const SampledWorkgroup> samples, uint64_t grid_workgroups, int workgroups_per_cu);

} // namespace fmha950::timing
