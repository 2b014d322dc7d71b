// hipDeviceGetAttribute. Ids are the same in HIP 5, 6 and 7: enumerators that HIP 6 retired kept theirs.
#include "emulator/hip/device_facts.hpp"
#include "emulator/hip/runtime.hpp"

#include <algorithm>
#include <climits>

namespace fmha950::hip {
namespace {

struct Attribute {
  int id, value;
};

// Ids by counting in hip_runtime_api.h, hipDeviceAttribute_t (from 0; AMD's own from 10000). Textures,
// surfaces and the vendor's registers are not part of the device, their ids are unknown to it.
constexpr Attribute attributes[] = {
    {0, 1}, // EccEnabled
    {2, 0}, // AsyncEngineCount: copies do not overlap kernels
    {3, 1}, // CanMapHostMemory
    {4, 1}, // CanUseHostPointerForRegisteredMem
    {5, facts::clock_khz},
    {6, 0},  // ComputeMode: default
    {7, 0},  // ComputePreemptionSupported
    {8, 0},  // ConcurrentKernels
    {9, 1},  // ConcurrentManagedAccess
    {10, 0}, // CooperativeLaunch
    {11, 0}, // CooperativeMultiDeviceLaunch
    {12, 0}, // DeviceOverlap
    {13, 1}, // DirectManagedMemAccessFromHost
    {14, 1}, // GlobalL1CacheSupported
    {15, 0}, // HostNativeAtomicSupported
    {16, 0}, // Integrated
    {17, 0}, // IsMultiGpuBoard
    {18, 0}, // KernelExecTimeout
    {19, facts::l2_bytes},
    {20, 1}, // LocalL1CacheSupported
    {23, target.major},
    {24, 1},                                 // ManagedMemory
    {25, facts::items_per_cu / facts::wave}, // MaxBlocksPerMultiProcessor
    {26, facts::items_per_workgroup},        // MaxBlockDimX
    {27, facts::items_per_workgroup},
    {28, facts::items_per_workgroup},
    {29, INT_MAX}, // MaxGridDimX
    {30, INT_MAX},
    {31, INT_MAX},
    {56, facts::items_per_workgroup}, // MaxThreadsPerBlock
    {57, facts::items_per_cu},
    {58, facts::pitch_limit},
    {59, facts::memory_bus_bits},
    {60, facts::memory_khz},
    {61, target.minor},
    {62, 0}, // MultiGpuBoardGroupID
    {63, target.compute_units()},
    {65, 0}, // PageableMemoryAccess: host memory must be registered
    {66, 0},
    {67, 0}, // PciBusId
    {68, 0},
    {69, 0},
    {71, facts::registers_per_cu}, // MaxRegistersPerBlock
    {72, facts::registers_per_cu},
    {73, 0},                // ReservedSharedMemPerBlock
    {74, facts::lds_bytes}, // MaxSharedMemoryPerBlock
    {75, facts::lds_bytes},
    {76, facts::lds_bytes}, // SharedMemPerMultiprocessor
    {78, 1},                // StreamPrioritiesSupported
    {80, 0},                // TccDriver
    {83, INT_MAX},          // TotalConstantMemory
    {85, 1},                // UnifiedAddressing
    {87, facts::wave},
    {88, 0}, // MemoryPoolsSupported: hipMallocAsync works, pools do not
    {89, 0}, // VirtualMemoryManagementSupported
    {90, 1}, // HostRegisterSupported
    {10000, facts::timer_khz},
    {10002, facts::lds_bytes}, // MaxSharedMemoryPerMultiprocessor
    {10007, 0},
    {10008, 0},
    {10009, 0},
    {10010, 0}, // cooperative launches on several devices
    {10011, 1}, // IsLargeBar
    {10012, 0}, // AsicRevision
    {10013, 0}, // CanUseStreamWaitValue
    {10014, 0}, // ImageSupport
    {10015, target.compute_units()},
    {10016, 1}, // FineGrainSupport
    {10017, facts::timer_khz},
    {10018, target.chiplets},
    {10019, 512}, // MaxAvailableVgprsPerThread
};

} // namespace

FMHA950_HIP_API hipError_t hipDeviceGetAttribute(int* value, int attribute, int device) {
  return call([&] {
    require(value, hipErrorInvalidValue, "pi is null");
    if (device != 0) throw CallError(hipErrorInvalidDevice, fmt::format("deviceId = {}: must be 0", device));
    const auto* found = std::find_if(std::begin(attributes), std::end(attributes),
                                     [&](const Attribute& entry) { return entry.id == attribute; });
    if (found == std::end(attributes))
      throw CallError(hipErrorInvalidValue,
                      fmt::format("attr = {}: unknown to the embedded device", attribute));
    *value = found->value;
  });
}

} // namespace fmha950::hip
