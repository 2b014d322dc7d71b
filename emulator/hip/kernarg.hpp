#pragma once
// The kernel argument segment and the dispatch packet of a launch (machine_gfx950.md sections 5.3 and 5.4).

#include "emulator/hip/hip_abi.hpp"
#include "emulator/loader/code_object.hpp"

#include <array>

namespace fmha950::hip {

struct LaunchShape {
  Dim3 grid; // workgroups
  Dim3 block;
  uint32_t dynamic_lds = 0;
};

// Where the values of the explicit arguments come from: kernelParams, or the `extra` array.
struct ArgumentSource {
  void** parameters = nullptr;
  void** extra = nullptr;
};

// Explicit arguments at their offsets, hidden ones by kind. Throws CallError.
std::vector<std::byte> build_kernarg(const loader::Kernel& kernel, const LaunchShape& shape,
                                     const ArgumentSource& source);

using DispatchPacket = std::array<std::byte, 64>;
DispatchPacket build_packet(const loader::Kernel& kernel, const LaunchShape& shape, uint64_t kernarg);

} // namespace fmha950::hip
