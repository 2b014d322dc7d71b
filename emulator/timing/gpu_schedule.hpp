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

// Which workgroups have the same work: those of equal `id / stride % extent`. A grid's y has stride X and extent Y. By
// itself a workgroup's id decides.
struct WorkAxis {
  uint64_t stride = 1, extent = ~uint64_t{0};
  uint64_t place(uint64_t id) const { return id / stride % extent; }
};

struct GpuTime {
  double clocks = 0; // of the launch, without the cost of dispatching it
  // The part of the clocks of all places for which there is a workgroup in them. The rest is the end of the launch, and
  // what a grid leaves empty that is no multiple of the places.
  double occupied = 0;
  // The relative uncertainty of the clocks, as the root of the sum of two squares:
  //   - How far samples lie from the line between their neighbours: root mean square, divided by the root of
  //     their number. This is the error of a mean (many rounds).
  //   - How much the clocks change if one sample is left out: root of the sum of squares over the samples.
  //     This is the error of the last workgroup's end (one round).
  // 0 if every workgroup was sampled, or one of each place on the axis. None if at most two of more were: no sample has two neighbours then.
  std::optional<double> sampling_error;
};

// `samples`: at least one, ascending by their places on the axis, none twice. Workgroups between two samples take what
// lies between theirs.
GpuTime gpu_time(std::span<const SampledWorkgroup> samples, uint64_t grid_workgroups, int workgroups_per_cu,
                 WorkAxis axis = {});

} // namespace fmha950::timing
