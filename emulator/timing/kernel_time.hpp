#pragma once
// What the model says of one launch whose executed workgroups were recorded.

#include "emulator/timing/gpu_time.hpp"
#include "emulator/timing/model/assumptions.hpp"
#include "emulator/timing/model/result.hpp"
#include "emulator/timing/record/wave_record.hpp"

#include <vector>

namespace fmha950::timing {

// How the recorded workgroups are placed.
enum class Placement : uint8_t {
  // Each in a run of its own, as many copies on a CU as are resident, which share what its neighbour shares with it
  // (emulator/timing/record/neighbour.hpp): its clocks stand for those of its neighbours in the grid.
  samples,
  // Those of chiplet 0 together, on its 32 CUs in dispatch order, which share the L2.
  chiplet
};

struct KernelTime {
  int resident = 1; // workgroups on a CU at a time
  std::vector<SampledWorkgroup> samples;
  GpuTime gpu;                  // of Placement::chiplet none if it has no recorded workgroup
  std::vector<Simulation> runs; // of each sample, or the one of the chiplet
};

KernelTime time_of(const KernelRecord& kernel, const Mall& mall, Placement placement,
                   const Assumptions& assumptions, bool timeline = false, WorkAxis axis = {});

} // namespace fmha950::timing
