#pragma once
// What the embedded device offers beyond HIP. Programs find these by dlsym in the HIP library; a real runtime
// has none of them. See docs/device.md.

#include "emulator/hip/hip_abi.hpp"

// Text of the fault that stopped the device, "" when it is healthy: kernel, workgroup, wave, instruction,
// address, source line. Valid for the life of the process.
FMHA950_HIP_API const char* fmha950LastFault();

// Why the calling thread's last failed call failed: field, value, and what would be right. Valid until its
// next failed call.
FMHA950_HIP_API const char* fmha950LastErrorDetail();

// Lets calls through again after a fault. Memory, modules and streams stay (hipDeviceReset frees the
// program's memory).
FMHA950_HIP_API hipError_t fmha950ClearFault();

// The calling thread's next launch executes only these workgroups (linear ids, x fastest), whether it
// succeeds or not.
FMHA950_HIP_API hipError_t fmha950RestrictNextLaunch(const uint32_t* workgroups, size_t count);

// schedule, threads, mfma or simd, with the values of the environment variables.
FMHA950_HIP_API hipError_t fmha950SetOption(const char* name, const char* value);

// Table of the gfx950 opcodes the device executes; its last line is "N of M opcodes (P %)".
FMHA950_HIP_API const char* fmha950Coverage();
