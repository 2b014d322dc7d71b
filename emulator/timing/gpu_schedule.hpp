#pragma once
// When a launch ends: every workgroup goes to the first free place of its chiplet, in dispatch order
// (machine_gfx950.md 6.1: workgroup n to chiplet n mod 8).

#include "emulator/rates/latencies.hpp"
#include "emulator/timing/work_line.hpp"

#include <array>
#include <cstddef>

namespace fmha950::timing {

struct Grid {
  uint64_t workgroups = 0;
  int per_cu = 1; // at a time
  WorkAxis axis;
};

// How far workgroups may lie off the line, in its units.
struct Deviations {
  double spread = 0; // each by itself, root mean square
  std::array<double, chiplets> of_chiplet{};
};

struct GpuSchedule {
  double end = 0;    // of the last workgroup
  double clocks = 0; // sum over the workgroups
  size_t places = 0;

  // The part of the clocks of all places for which there is a workgroup in them. The rest is the end of the launch, and
  // what a grid leaves empty that is no multiple of the places.
  double occupied() const { return clocks / (end * static_cast<double>(places)); }
};

// `followed`, by ascending ids, take their own clocks, the others those of the line and beside it `deviations`.
GpuSchedule schedule_of(std::span<const SampledWorkgroup> followed, const WorkLine& line, const Grid& grid,
                        const Deviations& deviations = {});

} // namespace fmha950::timing
