#pragma once
// From some workgroups' clocks to the whole GPU's, and how far that can be trusted.

#include "emulator/timing/work_line.hpp"

#include <optional>

namespace fmha950::timing {

struct GpuTime {
  double clocks = 0;   // of the launch, without the cost of dispatching it
  double occupied = 0; // as of GpuSchedule
  // Relative: the truth, every workgroup followed, lies within two of it in 95 of 100 launches. Root of a sum of squares:
  //   - How much the clocks change if one sample is left out, over all samples: the error of a mean, and of the last end as
  //     far as a sample decides it.
  //   - Half of how much later the launch ends if what was not followed lies as far off the line as the samples do, each
  //     workgroup by itself and the chiplets as their samples: of many workgroups the longest is longer than of a few.
  //   - What five even samples cannot rule out (least_spread).
  // The first two times half of Student's 97.5 % quantile, for few samples do not know their own spread. 0 if nothing is
  // open (WorkAxis::kinds), none if fewer than three samples leave something open.
  std::optional<double> sampling_error;
};

// `samples`: at least one, by ascending ids, none twice, taken at random (sample_choice.hpp).
GpuTime gpu_time(std::span<const SampledWorkgroup> samples, uint64_t grid_workgroups, int workgroups_per_cu,
                 WorkAxis axis = {});

} // namespace fmha950::timing
