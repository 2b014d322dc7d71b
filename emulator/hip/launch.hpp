#pragma once
// Launches. What throws, throws CallError.

#include "emulator/hip/kernarg.hpp"
#include "emulator/hip/modules.hpp"
#include "emulator/hip/streams.hpp"

namespace fmha950::hip {

// A launch that was checked against the limits of kernel and device, with its arguments.
struct PreparedLaunch {
  std::weak_ptr<const loader::Kernel> kernel; // of a graph's launch the module may be unloaded
  LaunchShape shape;
  std::vector<std::byte> arguments;
};
PreparedLaunch prepare_launch(const KernelPointer& kernel, const LaunchShape& shape,
                              const ArgumentSource& source);

// The launch, with the device's options as they are now. `only`: the workgroups that are executed, else all.
Work work_of(const PreparedLaunch& prepared, std::optional<std::vector<uint32_t>> only = {});

// Both, in the stream's order; under the thread's restriction of its next launch.
void launch_kernel(const KernelPointer& kernel, const LaunchShape& shape, const ArgumentSource& source,
                   hipStream_t stream);

} // namespace fmha950::hip
