#pragma once
// Launches. What throws, throws CallError.

#include "emulator/hip/kernarg.hpp"
#include "emulator/hip/modules.hpp"
#include "emulator/hip/streams.hpp"

#include <optional>
#include <vector>

namespace fmha950::hip {

// A launch that was checked against the limits of kernel and device, with its arguments.
struct PreparedLaunch {
  std::weak_ptr<const loader::Kernel> kernel; // of a graph's launch the module may be unloaded
  LaunchShape shape;
  std::vector<std::byte> arguments;
};
PreparedLaunch prepare_launch(const KernelPointer& kernel, const LaunchShape& shape,
                              const ArgumentSource& source);

// What a thread says of its next launch.
struct LaunchWishes {
  std::optional<std::vector<uint32_t>> only; // the workgroups that are executed, else all
  std::optional<std::vector<uint32_t>> work; // of each workgroup of the grid: those of equal work are alike
};
LaunchWishes& next_launch_wishes(); // the calling thread's

// The launch, with the device's options as they are now.
Work work_of(const PreparedLaunch& prepared, LaunchWishes wishes = {});

// Both, in the stream's order; with what the thread has said of its next launch.
void launch_kernel(const KernelPointer& kernel, const LaunchShape& shape, const ArgumentSource& source,
                   hipStream_t stream);

} // namespace fmha950::hip
