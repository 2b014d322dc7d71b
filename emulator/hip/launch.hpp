#pragma once
// Checks the launch against the limits of kernel and device and runs it to its end. Throws CallError.

#include "emulator/hip/kernarg.hpp"
#include "emulator/hip/streams.hpp"

namespace fmha950::hip {

void launch_kernel(const loader::Kernel& kernel, const LaunchShape& shape, const ArgumentSource& source,
                   hipStream_t stream);

} // namespace fmha950::hip
