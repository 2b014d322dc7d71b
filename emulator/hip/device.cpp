// The one device: queries, selection, synchronisation, reset, versions.
#include "emulator/hip/device_facts.hpp"
#include "emulator/hip/device_heap.hpp"
#include "emulator/hip/memory.hpp"
#include "emulator/hip/properties.hpp"
#include "emulator/hip/streams.hpp"

#include <climits>
#include <cstdio>
#include <cstring>

namespace fmha950::hip {
namespace {

void require_device(int device) {
  if (device != 0) throw CallError(hipErrorInvalidDevice, fmt::format("device = {}: must be 0", device));
}

template <class T> hipError_t answer(T* to, T value) {
  return call([&] {
    require(to, hipErrorInvalidValue, "the pointer to write is null");
    *to = value;
  });
}

hipError_t nothing() {
  return call([] {});
}

// Fields that both layouts have.
template <class Properties> void fill(Properties& p) {
  p = {};
  std::snprintf(p.name, sizeof p.name, "%s", facts::name);
  std::snprintf(p.gcnArchName, sizeof p.gcnArchName, "%s", facts::architecture);
  p.totalGlobalMem = machine::device_memory_bytes;
  p.sharedMemPerBlock = p.maxSharedMemoryPerMultiProcessor = facts::lds_bytes;
  p.regsPerBlock = facts::registers_per_cu;
  p.warpSize = facts::wave;
  p.maxThreadsPerBlock = facts::items_per_workgroup;
  for (int axis = 0; axis < 3; ++axis) {
    p.maxThreadsDim[axis] = facts::items_per_workgroup;
    p.maxGridSize[axis] = INT_MAX;
  }
  p.clockRate = facts::clock_khz;
  p.memoryClockRate = facts::memory_khz;
  p.memoryBusWidth = facts::memory_bus_bits;
  p.totalConstMem = INT_MAX;
  p.major = target.major;
  p.minor = target.minor;
  p.multiProcessorCount = target.compute_units();
  p.l2CacheSize = facts::l2_bytes;
  p.maxThreadsPerMultiProcessor = facts::items_per_cu;
  p.clockInstructionRate = facts::timer_khz;
  // hipDeviceArch_t: all features but surfaces (bit 14) and dynamic parallelism (bit 16).
  p.arch = 0x1FFFF & ~(1u << 14 | 1u << 16);
  p.canMapHostMemory = p.ECCEnabled = p.isLargeBar = p.managedMemory = 1;
  p.directManagedMemAccessFromHost = p.concurrentManagedAccess = 1;
  p.memPitch = facts::pitch_limit;
}

} // namespace

FMHA950_HIP_API hipError_t hipInit(unsigned flags) {
  return call([&] { require(flags == 0, hipErrorInvalidValue, "flags must be 0"); });
}
FMHA950_HIP_API hipError_t hipGetDeviceCount(int* count) { return answer(count, 1); }
FMHA950_HIP_API hipError_t hipGetDevice(int* device) { return answer(device, 0); }
FMHA950_HIP_API hipError_t hipSetDevice(int device) {
  return call([&] { require_device(device); });
}
FMHA950_HIP_API hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  return call([&] {
    require(device, hipErrorInvalidValue, "device is null");
    require_device(ordinal);
    *device = 0;
  });
}
FMHA950_HIP_API hipError_t hipDeviceGetName(char* name, int bytes, hipDevice_t device) {
  return call([&] {
    require(name && bytes > 0, hipErrorInvalidValue, "name is null or len is not positive");
    require_device(device);
    std::snprintf(name, static_cast<size_t>(bytes), "%s", facts::name);
  });
}
FMHA950_HIP_API hipError_t hipDeviceTotalMem(size_t* bytes, hipDevice_t device) {
  return call([&] {
    require(bytes, hipErrorInvalidValue, "bytes is null");
    require_device(device);
    *bytes = machine::device_memory_bytes;
  });
}
FMHA950_HIP_API hipError_t hipDeviceComputeCapability(int* major, int* minor, hipDevice_t device) {
  return call([&] {
    require(major && minor, hipErrorInvalidValue, "major or minor is null");
    require_device(device);
    *major = target.major;
    *minor = target.minor;
  });
}

FMHA950_HIP_API hipError_t hipGetDeviceProperties(PropertiesR0000* properties, int device) {
  return call([&] {
    require(properties, hipErrorInvalidValue, "prop is null");
    require_device(device);
    fill(*properties);
    properties->gcnArch = target.gcn_number();
  });
}
FMHA950_HIP_API hipError_t hipGetDevicePropertiesR0600(PropertiesR0600* properties, int device) {
  return call([&] {
    require(properties, hipErrorInvalidValue, "prop is null");
    require_device(device);
    fill(*properties);
    std::memcpy(properties->uuid, facts::uuid, sizeof properties->uuid);
    properties->unifiedAddressing = properties->streamPrioritiesSupported = 1;
    properties->globalL1CacheSupported = properties->localL1CacheSupported = 1;
    properties->sharedMemPerMultiprocessor = properties->sharedMemPerBlockOptin = facts::lds_bytes;
    properties->regsPerMultiprocessor = facts::registers_per_cu;
    properties->canUseHostPointerForRegisteredMem = properties->hostRegisterSupported = 1;
    properties->maxBlocksPerMultiProcessor = facts::items_per_cu / facts::wave;
  });
}

FMHA950_HIP_API hipError_t hipDriverGetVersion(int* version) {
  return answer(version, facts::runtime_version);
}
FMHA950_HIP_API hipError_t hipRuntimeGetVersion(int* version) {
  return answer(version, facts::runtime_version);
}

FMHA950_HIP_API hipError_t hipDeviceSynchronize() { return call(synchronise_device); }
// How the host waits.
FMHA950_HIP_API hipError_t hipSetDeviceFlags(unsigned) { return nothing(); }
FMHA950_HIP_API hipError_t hipGetDeviceFlags(unsigned* flags) { return answer(flags, 0u); }
// gfx950: LDS and L1 are separate.
FMHA950_HIP_API hipError_t hipDeviceSetCacheConfig(int) { return nothing(); }
FMHA950_HIP_API hipError_t hipDeviceGetCacheConfig(int* config) { return answer(config, 0); }
FMHA950_HIP_API hipError_t hipDeviceSetSharedMemConfig(int) { return nothing(); }
FMHA950_HIP_API hipError_t hipDeviceGetSharedMemConfig(int* config) { return answer(config, 0); }

// Ends what runs, frees all memory, streams and events of the program and forgets a fault; modules stay loaded.
FMHA950_HIP_API hipError_t hipDeviceReset() {
  return call(AfterFault::ignore, [] {
    Runtime::get().stop();
    wait_for_all();
    Runtime::get().clear_fault();
    Memory::get().release_all();
    DeviceHeap::get().release_all();
    destroy_streams();
    destroy_events();
  });
}

FMHA950_HIP_API hipError_t hipDeviceGetUuid(char* uuid, hipDevice_t device) {
  return call([&] {
    require(uuid, hipErrorInvalidValue, "uuid is null");
    require_device(device);
    std::memcpy(uuid, facts::uuid, sizeof facts::uuid);
  });
}
// There is no bus; programs use the text as a name alone.
FMHA950_HIP_API hipError_t hipDeviceGetPCIBusId(char* id, int bytes, hipDevice_t device) {
  return call([&] {
    require(id && bytes > 0, hipErrorInvalidValue, "pciBusId is null or len is not positive");
    require_device(device);
    std::snprintf(id, static_cast<size_t>(bytes), "%s", facts::bus_id);
  });
}
FMHA950_HIP_API hipError_t hipDeviceGetByPCIBusId(hipDevice_t* device, const char* id) {
  return call([&] {
    require(device && id, hipErrorInvalidValue, "device or pciBusId is null");
    if (std::strcmp(id, facts::bus_id) != 0)
      throw CallError(hipErrorInvalidDevice, fmt::format("pciBusId = {}: must be {}", id, facts::bus_id));
    *device = 0;
  });
}
// Profilers that a program starts and stops: there is none.
FMHA950_HIP_API hipError_t hipProfilerStart() { return nothing(); }
FMHA950_HIP_API hipError_t hipProfilerStop() { return nothing(); }

} // namespace fmha950::hip
