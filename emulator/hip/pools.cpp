// Stream-ordered allocation and memory pools. Memory is given at once and taken in the stream's order; a pool is an account of
// what was allocated from it.
#include "emulator/hip/capture.hpp"
#include "emulator/hip/memory.hpp"
#include "emulator/hip/streams.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

struct ihipMemPool_t {
  int reuse[3] = {1, 1, 1}; // follow events, opportunistic, internal dependencies: of no effect here
  uint64_t release_threshold = 0;
  std::map<uint64_t, uint64_t>
      allocations; // bytes by begin; those that are gone are dropped when it is asked
  uint64_t used_high = 0;
};
using hipMemPool_t = ihipMemPool_t*;

namespace fmha950::hip {
namespace {

enum PoolAttribute : int { // hipMemPoolAttr
  reuse_first = 1,
  reuse_last = 3,
  release_threshold,
  reserved_current,
  reserved_high,
  used_current,
  used_high
};

std::mutex& pools_mutex() { // of what the pools hold
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}
Handles<ihipMemPool_t>& pools() {
  static auto& handles = *new Handles<ihipMemPool_t>;
  return handles;
}
hipMemPool_t default_pool() {
  static const hipMemPool_t pool = pools().add(std::make_unique<ihipMemPool_t>());
  return pool;
}
std::atomic<hipMemPool_t>& current_pool() {
  static std::atomic<hipMemPool_t> pool = default_pool();
  return pool;
}

void require_device(int device) {
  if (device != 0) throw CallError(hipErrorInvalidDevice, fmt::format("device = {}: must be 0", device));
}

uint64_t used(ihipMemPool_t& pool) {
  std::erase_if(pool.allocations, [](const auto& entry) {
    const auto found = Memory::get().find(reinterpret_cast<void*>(entry.first));
    return !found || found->begin != entry.first;
  });
  uint64_t bytes = 0;
  for (const auto& [begin, size] : pool.allocations) bytes += size;
  return bytes;
}

hipError_t allocate(void** pointer, size_t bytes, hipMemPool_t pool, hipStream_t stream) {
  return call([&] {
    require(pointer, hipErrorInvalidValue, "dev_ptr is null");
    require_stream(stream);
    ihipMemPool_t& from = pools().get(pool, "mem_pool");
    *pointer = Memory::get().allocate(bytes, MemoryKind::device, 0);
    const std::lock_guard lock(pools_mutex());
    if (*pointer) from.allocations[reinterpret_cast<uint64_t>(*pointer)] = bytes;
    from.used_high = std::max(from.used_high, used(from));
  });
}

hipError_t give(hipMemPool_t* pool, int device, hipMemPool_t which) {
  return call([&] {
    require(pool, hipErrorInvalidValue, "mem_pool is null");
    require_device(device);
    *pool = which;
  });
}

template <class T> void copy_out(void* to, T value) { std::memcpy(to, &value, sizeof value); }

[[noreturn]] void refuse(int attribute, const char* right) {
  throw CallError(hipErrorInvalidValue, fmt::format("attr = {}: must be {}", attribute, right));
}

} // namespace

FMHA950_HIP_API hipError_t hipMallocAsync(void** pointer, size_t bytes, hipStream_t stream) {
  return allocate(pointer, bytes, current_pool(), stream);
}
FMHA950_HIP_API hipError_t hipMallocFromPoolAsync(void** pointer, size_t bytes, hipMemPool_t pool,
                                                  hipStream_t stream) {
  return allocate(pointer, bytes, pool, stream);
}
// Of a captured allocation the graph's launches still use the memory: it stays until hipFree or hipDeviceReset.
FMHA950_HIP_API hipError_t hipFreeAsync(void* pointer, hipStream_t stream) {
  return call(AfterFault::release, [&] {
    require_stream(stream);
    if (is_capturing(stream)) return;
    if (!pointer) return;
    const Allocation allocation =
        Memory::get().take(pointer, {MemoryKind::device, MemoryKind::managed}, hipErrorInvalidValue);
    submit(queue_of(stream), WorkKind::small, [allocation] { Memory::free_memory(allocation); });
  });
}

FMHA950_HIP_API hipError_t hipDeviceGetDefaultMemPool(hipMemPool_t* pool, int device) {
  return give(pool, device, default_pool());
}
FMHA950_HIP_API hipError_t hipDeviceGetMemPool(hipMemPool_t* pool, int device) {
  return give(pool, device, current_pool());
}
FMHA950_HIP_API hipError_t hipDeviceSetMemPool(int device, hipMemPool_t pool) {
  return call([&] {
    require_device(device);
    default_pool();
    pools().get(pool, "mem_pool");
    current_pool() = pool;
  });
}
FMHA950_HIP_API hipError_t hipMemPoolCreate(hipMemPool_t* pool, const void* properties) {
  return call([&] {
    require(pool && properties, hipErrorInvalidValue, "mem_pool or pool_props is null");
    *pool = pools().add(std::make_unique<ihipMemPool_t>());
  });
}
FMHA950_HIP_API hipError_t hipMemPoolDestroy(hipMemPool_t pool) {
  return call(AfterFault::release, [&] {
    require(pool != default_pool(), hipErrorInvalidValue, "mem_pool is the default pool, which stays");
    if (current_pool() == pool) current_pool() = default_pool();
    pools().remove(pool, "mem_pool");
  });
}
// Nothing is kept beyond what is allocated.
FMHA950_HIP_API hipError_t hipMemPoolTrimTo(hipMemPool_t pool, size_t) {
  return call([&] { pools().get(pool, "mem_pool"); });
}
FMHA950_HIP_API hipError_t hipMemPoolSetAttribute(hipMemPool_t pool, int attribute, const void* value) {
  return call([&] {
    require(value, hipErrorInvalidValue, "value is null");
    ihipMemPool_t& object = pools().get(pool, "mem_pool");
    const std::lock_guard lock(pools_mutex());
    if (attribute >= reuse_first && attribute <= reuse_last)
      std::memcpy(&object.reuse[attribute - reuse_first], value, sizeof(int));
    else if (attribute == release_threshold)
      std::memcpy(&object.release_threshold, value, sizeof object.release_threshold);
    else if (attribute == reserved_high || attribute == used_high)
      object.used_high = used(object); // only a reset, to 0, is allowed
    else
      refuse(attribute, "1 to 4, 6 or 8");
  });
}
FMHA950_HIP_API hipError_t hipMemPoolGetAttribute(hipMemPool_t pool, int attribute, void* value) {
  return call([&] {
    require(value, hipErrorInvalidValue, "value is null");
    ihipMemPool_t& object = pools().get(pool, "mem_pool");
    const std::lock_guard lock(pools_mutex());
    if (attribute >= reuse_first && attribute <= reuse_last)
      copy_out(value, object.reuse[attribute - reuse_first]);
    else if (attribute == release_threshold)
      copy_out(value, object.release_threshold);
    else if (attribute == reserved_current || attribute == used_current)
      copy_out(value, used(object));
    else if (attribute == reserved_high || attribute == used_high)
      copy_out(value, object.used_high);
    else
      refuse(attribute, "1 to 8");
  });
}
// One device, which may read and write all of it.
FMHA950_HIP_API hipError_t hipMemPoolSetAccess(hipMemPool_t pool, const void*, size_t) {
  return call([&] { pools().get(pool, "mem_pool"); });
}
FMHA950_HIP_API hipError_t hipMemPoolGetAccess(int* flags, hipMemPool_t pool, const void*) {
  return call([&] {
    constexpr int read_and_write = 3; // hipMemAccessFlagsProtReadWrite
    require(flags, hipErrorInvalidValue, "flags is null");
    pools().get(pool, "mem_pool");
    *flags = read_and_write;
  });
}

} // namespace fmha950::hip
