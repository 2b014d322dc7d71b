#include "emulator/hip/device_heap.hpp"

#include "emulator/memory/address_space.hpp"
#include "emulator/memory/allocation_origin.hpp"
#include "emulator/observe/engine.hpp"

#include <new>

namespace fmha950::hip {
namespace {

// heap_t of ockl's dm.cl has some 109,000 bytes, all 0 at first; clr allocates as many as here.
constexpr size_t management_bytes = 128 << 10;
// ockl finds the slab of a block by the block's address.
constexpr uint64_t slab_bytes = 2 << 20;
// What clr answers as long as nobody has set a limit. It does not keep kernels to it, and nor does this device.
constexpr uint64_t default_limit = 8 << 20;

} // namespace

DeviceHeap& DeviceHeap::get() {
  static DeviceHeap& heap = *new DeviceHeap;
  return heap;
}

uint64_t DeviceHeap::management() {
  const std::lock_guard lock(mutex_);
  if (!management_) management_ = machine::AddressSpace::device().allocate_coherent(management_bytes);
  if (!management_) throw std::bad_alloc();
  return reinterpret_cast<uint64_t>(management_);
}

uint64_t DeviceHeap::allocate(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  const uint64_t limit = limit_.value_or(machine::device_memory_bytes);
  if (bytes > limit || used_ > limit - bytes) return 0;
  const uint64_t alignment = bytes == slab_bytes ? slab_bytes : 1;
  Block block{machine::AddressSpace::device().allocate_coherent(bytes + alignment - 1), 0, bytes};
  if (!block.memory) return 0;
  block.begin = (reinterpret_cast<uint64_t>(block.memory) + alignment - 1) / alignment * alignment;
  machine::set_origin(reinterpret_cast<uint64_t>(block.memory), "made by malloc in a kernel");
  observe::HazardEngine::get().allocated(reinterpret_cast<const void*>(block.begin), bytes);
  used_ += bytes;
  blocks_[block.begin] = block;
  return block.begin;
}

bool DeviceHeap::release(uint64_t address) {
  const std::lock_guard lock(mutex_);
  const auto found = blocks_.find(address);
  if (found == blocks_.end()) return false;
  used_ -= found->second.bytes;
  freed_.push_back(found->second);
  blocks_.erase(found);
  return true;
}

void DeviceHeap::give_back(const Block& block) {
  observe::HazardEngine::get().released(reinterpret_cast<const void*>(block.begin), block.bytes);
  machine::AddressSpace::device().release(block.memory);
}

void DeviceHeap::release_all() {
  const std::lock_guard lock(mutex_);
  for (const auto& [begin, block] : blocks_) give_back(block);
  for (const Block& block : freed_) give_back(block);
  blocks_.clear();
  freed_.clear();
  used_ = 0;
  if (management_) machine::AddressSpace::device().release(management_);
  management_ = nullptr;
}

void DeviceHeap::set_limit(uint64_t bytes) {
  const std::lock_guard lock(mutex_);
  limit_ = bytes;
}

uint64_t DeviceHeap::limit() {
  const std::lock_guard lock(mutex_);
  return limit_.value_or(default_limit);
}

void DeviceHeap::launch_begins() {
  const std::lock_guard lock(mutex_);
  ++launches_;
}

void DeviceHeap::launch_ends() {
  const std::lock_guard lock(mutex_);
  if (--launches_ > 0) return;
  for (const Block& block : freed_) give_back(block);
  freed_.clear();
}

} // namespace fmha950::hip
