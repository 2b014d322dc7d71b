#include "emulator/memory/address_space.hpp"

#include "emulator/memory/fault.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace fmha950::machine {
namespace {

size_t page_bytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

} // namespace

AddressSpace& AddressSpace::device() {
  static AddressSpace instance;
  return instance;
}

AddressSpace::~AddressSpace() {
  for (const auto& [begin, allocation] : allocations_)
    if (allocation.mapping) munmap(allocation.mapping, allocation.mapped_bytes);
  for (const auto& [begin, allocation] : freed_) munmap(allocation.mapping, allocation.mapped_bytes);
}

void* AddressSpace::allocate(size_t bytes) {
  const size_t page = page_bytes();
  std::unique_lock lock(mutex_);
  if (bytes == 0 || bytes > device_memory_bytes - used_) return nullptr;
  const size_t usable = (bytes + page - 1) / page * page;
  const size_t mapped = usable + 2 * page;
  // Where the host has the address free, as it has but under sanitizers.
  void* mapping = mmap(reinterpret_cast<void*>(next_), mapped, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  next_ += mapped;
  char* begin = static_cast<char*>(mapping) + page;
  if (mprotect(begin, usable, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping, mapped);
    return nullptr;
  }
  const auto address = reinterpret_cast<uint64_t>(begin);
  allocations_[address] = {address + bytes, mapping, mapped};
  used_ += bytes;
  return begin;
}

// Keeps the addresses, gives the memory back.
void AddressSpace::retire(uint64_t begin, const Allocation& allocation) {
  mmap(allocation.mapping, allocation.mapped_bytes, PROT_NONE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  freed_.emplace_back(begin, allocation);
  if (freed_.size() <= most_freed) return;
  munmap(freed_.front().second.mapping, freed_.front().second.mapped_bytes);
  freed_.pop_front();
}

const std::pair<uint64_t, AddressSpace::Allocation>* AddressSpace::find_freed(uint64_t address) const {
  for (const auto& entry : freed_)
    if (address >= entry.first && address < entry.second.end) return &entry;
  return nullptr;
}

bool AddressSpace::release(void* pointer) {
  std::unique_lock lock(mutex_);
  const auto found = allocations_.find(reinterpret_cast<uint64_t>(pointer));
  if (found == allocations_.end()) return false;
  const Allocation& allocation = found->second;
  if (allocation.mapping) {
    retire(found->first, allocation);
    used_ -= allocation.end - found->first;
  }
  allocations_.erase(found);
  return true;
}

void AddressSpace::register_host(void* pointer, size_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  std::unique_lock lock(mutex_);
  allocations_[address] = {address + bytes, nullptr, 0};
}

Extent AddressSpace::find(uint64_t address) const {
  std::shared_lock lock(mutex_);
  auto above = allocations_.upper_bound(address);
  if (above == allocations_.begin()) return {};
  const auto& [begin, allocation] = *std::prev(above);
  return address < allocation.end ? Extent{begin, allocation.end} : Extent{};
}

std::string AddressSpace::describe(uint64_t address) const {
  std::shared_lock lock(mutex_);
  if (const auto* freed = find_freed(address))
    return fmt::format("{} bytes into [{:#x}, {:#x}) of {} bytes, which was freed", address - freed->first,
                       freed->first, freed->second.end, freed->second.end - freed->first);
  if (allocations_.empty()) return "there are no allocations";
  const auto above = allocations_.upper_bound(address);
  const auto below = above == allocations_.begin() ? allocations_.end() : std::prev(above);
  const bool has_below = below != allocations_.end(), has_above = above != allocations_.end();
  const uint64_t past = has_below ? address - below->second.end : 0; // wraps when address is inside
  if (has_below && address < below->second.end)
    return fmt::format("{} bytes before the end of allocation [{:#x}, {:#x}) of {} bytes",
                       below->second.end - address, below->first, below->second.end,
                       below->second.end - below->first);
  if (has_above && (!has_below || above->first - address < past))
    return fmt::format("{} bytes before allocation [{:#x}, {:#x}) of {} bytes", above->first - address,
                       above->first, above->second.end, above->second.end - above->first);
  return fmt::format("{} bytes past the end of allocation [{:#x}, {:#x}) of {} bytes", past, below->first,
                     below->second.end, below->second.end - below->first);
}

size_t AddressSpace::used() const {
  std::shared_lock lock(mutex_);
  return used_;
}

bool AddressCheck::find(uint64_t address, uint64_t bytes) {
  int slot = 1;
  while (slot < slots && !recent_[slot].contains(address, bytes)) ++slot;
  Extent found;
  if (slot < slots) {
    found = recent_[slot];
  } else {
    found = AddressSpace::device().find(address);
    if (!found.contains(address, bytes)) return false;
    slot = slots - 1;
  }
  std::copy_backward(recent_, recent_ + slot, recent_ + slot + 1);
  recent_[0] = found;
  return true;
}

void AddressCheck::refuse(uint64_t address, uint64_t bytes, bool write, int lane) {
  throw AccessFault(fmt::format("{} of {} bytes at {:#x}{} is outside every allocation: {}",
                                write ? "write" : "read", bytes, address,
                                lane < 0 ? "" : fmt::format(" by lane {}", lane),
                                AddressSpace::device().describe(address)),
                    address, bytes, write, lane);
}

} // namespace fmha950::machine
