// Allocation, registration and queries of memory.
#include "emulator/hip/memory.hpp"

#include "emulator/hip/call_site.hpp"
#include "emulator/hip/work_queue.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/memory/allocation_origin.hpp"
#include "emulator/observe/engine.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

namespace fmha950::hip {
namespace {

constexpr size_t page = 4096;

uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

std::string overview() {
  return fmt::format("{} of {} bytes are in use", machine::AddressSpace::device().used(),
                     machine::device_memory_bytes);
}

// For faults: who asked for it, and the how manieth allocation of the process it is.
void remember_origin(const void* pointer) {
  static std::atomic<uint64_t> allocations = 0;
  const CallSite site = call_site();
  machine::set_origin(address_of(pointer), fmt::format("made by {} from {}, allocation {}", site.call,
                                                       site.caller, ++allocations));
}

} // namespace

Memory& Memory::get() {
  static Memory& memory = *new Memory;
  return memory;
}

void* Memory::allocate(size_t bytes, MemoryKind kind, unsigned flags) {
  if (bytes == 0) return nullptr; // as HIP: success, and nothing to free
  auto& device = machine::AddressSpace::device();
  void* pointer = nullptr;
  if (kind == MemoryKind::host_pinned) {
    if (bytes <= SIZE_MAX - page) pointer = std::aligned_alloc(page, (bytes + page - 1) / page * page);
    if (!pointer) throw CallError(hipErrorOutOfMemory, fmt::format("out of host memory: {} bytes", bytes));
    device.register_host(pointer, bytes);
  } else {
    pointer = device.allocate(bytes);
    if (!pointer)
      throw CallError(hipErrorOutOfMemory,
                      fmt::format("out of device memory: {} bytes requested, {}", bytes, overview()));
    if (kind != MemoryKind::managed) // which the host writes without a call
      observe::HazardEngine::get().allocated(pointer, bytes);
  }
  remember_origin(pointer);
  const std::lock_guard lock(mutex_);
  allocations_[address_of(pointer)] = {address_of(pointer), bytes, kind, flags};
  return pointer;
}

void Memory::register_host(void* pointer, size_t bytes, unsigned flags) {
  require(pointer && bytes > 0, hipErrorInvalidValue, "hostPtr or sizeBytes is 0");
  if (find(pointer) || find(static_cast<char*>(pointer) + bytes - 1))
    throw CallError(hipErrorHostMemoryAlreadyRegistered,
                    fmt::format("hostPtr = {}: overlaps memory that is registered or allocated", pointer));
  machine::AddressSpace::device().register_host(pointer, bytes);
  remember_origin(pointer);
  const std::lock_guard lock(mutex_);
  allocations_[address_of(pointer)] = {address_of(pointer), bytes, MemoryKind::host_registered, flags};
}

void Memory::free_memory(const Allocation& allocation) {
  auto* pointer = reinterpret_cast<void*>(allocation.begin);
  observe::HazardEngine::get().released(pointer, allocation.bytes);
  if (allocation.kind == MemoryKind::host_pinned)
    machine::AddressSpace::device().release(pointer, [pointer] { std::free(pointer); });
  else
    machine::AddressSpace::device().release(pointer);
}

Allocation Memory::take(void* pointer, std::initializer_list<MemoryKind> wanted, hipError_t code) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(address_of(pointer));
  if (found == allocations_.end() ||
      std::find(wanted.begin(), wanted.end(), found->second.kind) == wanted.end())
    throw CallError(code,
                    fmt::format("pointer = {}: not the start of a live allocation of this kind", pointer));
  const Allocation allocation = found->second;
  allocations_.erase(found);
  return allocation;
}

void Memory::release_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& [begin, allocation] : allocations_) free_memory(allocation);
  allocations_.clear();
}

std::optional<Allocation> Memory::find(const void* pointer) {
  const std::lock_guard lock(mutex_);
  auto above = allocations_.upper_bound(address_of(pointer));
  if (above == allocations_.begin()) return std::nullopt;
  const Allocation& allocation = std::prev(above)->second;
  if (address_of(pointer) - allocation.begin >= allocation.bytes) return std::nullopt;
  return allocation;
}

namespace {

hipError_t allocate(void** pointer, size_t bytes, MemoryKind kind, unsigned flags = 0) {
  return call([&] {
    require(pointer, hipErrorInvalidValue, "the pointer to write is null");
    *pointer = Memory::get().allocate(bytes, kind, flags);
  });
}

// hipFree waits for the device (hip_runtime_api.h), its siblings likewise. What another thread launches meanwhile may have
// seen memory that is unregistered: it ends before the memory is the program's again.
hipError_t release(void* pointer, std::initializer_list<MemoryKind> kinds, hipError_t code) {
  return call(AfterFault::release, [&] {
    if (!pointer && code == hipErrorInvalidValue) return; // freeing null is fine, unregistering it is not
    wait_for_all();
    const Allocation allocation = Memory::get().take(pointer, kinds, code);
    Memory::free_memory(allocation);
    if (allocation.kind == MemoryKind::host_registered) wait_for_all();
  });
}

hipError_t release_device(void* pointer) {
  return release(pointer, {MemoryKind::device, MemoryKind::managed}, hipErrorInvalidValue);
}

hipError_t release_host(void* pointer) {
  return release(pointer, {MemoryKind::host_pinned}, hipErrorInvalidValue);
}

} // namespace

FMHA950_HIP_API hipError_t hipMalloc(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::device);
}
FMHA950_HIP_API hipError_t hipExtMallocWithFlags(void** pointer, size_t bytes, unsigned flags) {
  return allocate(pointer, bytes, MemoryKind::device, flags);
}
FMHA950_HIP_API hipError_t hipMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return allocate(pointer, bytes, MemoryKind::managed, flags);
}
FMHA950_HIP_API hipError_t hipHostMalloc(void** pointer, size_t bytes, unsigned flags) {
  return allocate(pointer, bytes, MemoryKind::host_pinned, flags);
}
FMHA950_HIP_API hipError_t hipExtHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return allocate(pointer, bytes, MemoryKind::host_pinned, flags);
}
FMHA950_HIP_API hipError_t hipMemAllocHost(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::host_pinned);
}
FMHA950_HIP_API hipError_t hipHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return allocate(pointer, bytes, MemoryKind::host_pinned, flags);
}
FMHA950_HIP_API hipError_t hipMallocHost(void** pointer, size_t bytes) {
  return allocate(pointer, bytes, MemoryKind::host_pinned);
}

FMHA950_HIP_API hipError_t hipFree(void* pointer) { return release_device(pointer); }
FMHA950_HIP_API hipError_t hipHostFree(void* pointer) { return release_host(pointer); }
FMHA950_HIP_API hipError_t hipFreeHost(void* pointer) { return release_host(pointer); }

FMHA950_HIP_API hipError_t hipHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return call([&] { Memory::get().register_host(pointer, bytes, flags); });
}
FMHA950_HIP_API hipError_t hipHostUnregister(void* pointer) {
  return release(pointer, {MemoryKind::host_registered}, hipErrorHostMemoryNotRegistered);
}
FMHA950_HIP_API hipError_t hipHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned) {
  return call([&] {
    const auto allocation = Memory::get().find(host_pointer);
    require(device_pointer && allocation && allocation->kind != MemoryKind::device, hipErrorInvalidValue,
            "hostPtr is not host memory that was allocated or registered through HIP");
    *device_pointer = host_pointer; // one address space
  });
}
FMHA950_HIP_API hipError_t hipHostGetFlags(unsigned* flags, void* host_pointer) {
  return call([&] {
    const auto allocation = Memory::get().find(host_pointer);
    require(flags && allocation && allocation->kind == MemoryKind::host_pinned, hipErrorInvalidValue,
            "hostPtr is not memory of hipHostMalloc");
    *flags = allocation->flags;
  });
}

FMHA950_HIP_API hipError_t hipMemGetInfo(size_t* free_bytes, size_t* total) {
  return call([&] {
    require(free_bytes && total, hipErrorInvalidValue, "a pointer to write is null");
    *total = machine::device_memory_bytes;
    *free_bytes = *total - machine::AddressSpace::device().used();
  });
}

} // namespace fmha950::hip
