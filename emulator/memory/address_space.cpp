#include "emulator/memory/address_space.hpp"

#include "emulator/memory/allocation_origin.hpp"
#include "emulator/memory/fault.hpp"
#include "emulator/memory/huge_pages.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace fmha950::machine {
namespace {

size_t page_bytes() {
  static const size_t bytes = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

// Pools of gigabytes begin at a huge page, as the driver's do (GPU_HUGE_PAGE_SIZE of ROCm's thunk; from which size on is a guess).
constexpr size_t aligned_from = size_t{1} << 30;

constexpr uint64_t nowhere = uint64_t{1} << 63; // no host has memory there

uint64_t reserve(uint64_t wanted, uint64_t bytes) {
  void* const range = mmap(reinterpret_cast<void*>(wanted), bytes, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return range == MAP_FAILED ? nowhere : reinterpret_cast<uint64_t>(range);
}

// "[0x200000001000, 0x200000001040) of 64 bytes, made by hipMalloc from main, allocation 3"
std::string named(uint64_t begin, uint64_t end) {
  const std::string origin = origin_of(begin);
  return fmt::format("[{:#x}, {:#x}) of {} bytes{}{}", begin, end, end - begin, origin.empty() ? "" : ", ",
                     origin);
}

} // namespace

AddressSpace& AddressSpace::device() {
  static AddressSpace& instance = *new AddressSpace;
  // A process that is forked while another thread allocates would wait for that thread, which it has not.
  static constexpr auto release = [] { instance.mutex_.unlock(); };
  static const int held_in_forks = pthread_atfork([] { instance.mutex_.lock(); }, release, release);
  (void)held_in_forks;
  return instance;
}

// Reserved as a whole, so that one comparison tells what lies in it.
AddressSpace::AddressSpace()
    : coherent_begin_(reserve(2 * first, coherent_bytes)), next_coherent_(coherent_begin_) {}

AddressSpace::~AddressSpace() {
  for (const auto& [begin, allocation] : allocations_) unmap(begin, allocation);
  for (const auto& [begin, allocation] : freed_) unmap(begin, allocation);
  munmap(reinterpret_cast<void*>(coherent_begin_), coherent_bytes);
}

void AddressSpace::unmap(uint64_t begin, const Allocation& allocation) {
  if (allocation.mapping && !is_coherent(begin)) munmap(allocation.mapping, allocation.mapped_bytes);
}

void* AddressSpace::allocate(size_t bytes) {
  const std::lock_guard lock(mutex_);
  return map(bytes, next_, 0);
}

void* AddressSpace::allocate_scratch(size_t bytes) {
  const std::lock_guard lock(mutex_);
  return map(bytes, next_scratch_, 0);
}

void* AddressSpace::allocate_coherent(size_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!is_coherent(next_coherent_ + bytes + 4 * page_bytes())) return nullptr;
  return map(bytes, next_coherent_, MAP_FIXED);
}

void* AddressSpace::map(size_t bytes, uint64_t& next, int flags) {
  const size_t page = page_bytes();
  if (bytes == 0 || bytes > device_memory_bytes - used_) return nullptr;
  const size_t usable = (bytes + page - 1) / page * page;
  const size_t mapped = usable + 2 * page;
  if (usable >= aligned_from)
    next = (next + page + huge_page_bytes - 1) / huge_page_bytes * huge_page_bytes - page;
  void* mapping = mmap(reinterpret_cast<void*>(next), mapped, PROT_NONE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (mapping == MAP_FAILED) return nullptr;
  next += mapped;
  char* begin = static_cast<char*>(mapping) + page;
  if (mprotect(begin, usable, PROT_READ | PROT_WRITE) != 0) {
    munmap(mapping, mapped);
    return nullptr;
  }
  prefer_huge_pages(begin, usable);
  const auto address = reinterpret_cast<uint64_t>(begin);
  allocations_[address] = {address + bytes, mapping, mapped};
  used_ += bytes;
  return begin;
}

// Keeps the addresses, gives the memory back.
void AddressSpace::give_back(const Released& released) {
  if (released.afterwards) released.afterwards();
  const Allocation& allocation = released.allocation;
  if (!allocation.mapping) return;
  const bool given_back = mmap(allocation.mapping, allocation.mapped_bytes, PROT_NONE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != MAP_FAILED;
  if (!given_back || freed_.size() <= most_freed) return;
  unmap(freed_.front().first, freed_.front().second);
  forget_origin(freed_.front().first);
  freed_.pop_front();
}

const std::pair<uint64_t, AddressSpace::Allocation>* AddressSpace::find_freed(uint64_t address) const {
  for (const auto& entry : freed_)
    if (address >= entry.first && address < entry.second.end) return &entry;
  return nullptr;
}

bool AddressSpace::release(void* pointer, std::function<void()> afterwards) {
  const std::lock_guard lock(mutex_);
  const auto found = allocations_.find(reinterpret_cast<uint64_t>(pointer));
  if (found == allocations_.end()) return false;
  const Allocation& allocation = found->second;
  if (allocation.mapping) {
    freed_.emplace_back(found->first, allocation);
    used_ -= allocation.end - found->first;
  } else {
    forget_origin(found->first);
  }
  Released released{++releases_, allocation, std::move(afterwards)};
  allocations_.erase(found);
  if (uses_.empty())
    give_back(released);
  else
    released_.push_back(std::move(released));
  return true;
}

AddressSpace::Use::Use() {
  AddressSpace& space = device();
  const std::lock_guard lock(space.mutex_);
  releases_ = AddressSpace::releases();
  space.uses_.insert(releases_);
}

AddressSpace::Use::~Use() {
  AddressSpace& space = device();
  const std::lock_guard lock(space.mutex_);
  space.uses_.erase(space.uses_.find(releases_));
  const uint64_t oldest = space.uses_.empty() ? UINT64_MAX : *space.uses_.begin();
  for (; !space.released_.empty() && space.released_.front().number <= oldest; space.released_.pop_front())
    space.give_back(space.released_.front());
}

void AddressSpace::register_host(void* pointer, size_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(pointer);
  const std::lock_guard lock(mutex_);
  allocations_[address] = {address + bytes, nullptr, 0};
}

Extent AddressSpace::find(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  auto above = allocations_.upper_bound(address);
  if (above == allocations_.begin()) return {};
  const auto& [begin, allocation] = *std::prev(above);
  return address < allocation.end ? Extent{begin, allocation.end} : Extent{};
}

std::vector<Extent> AddressSpace::live() const {
  const std::lock_guard lock(mutex_);
  std::vector<Extent> extents;
  for (const auto& [begin, allocation] : allocations_)
    if (!is_coherent(begin)) extents.push_back({begin, allocation.end});
  return extents;
}

std::string AddressSpace::describe(uint64_t address) const {
  const std::lock_guard lock(mutex_);
  if (const auto* freed = find_freed(address))
    return fmt::format("{} bytes into {}, which was freed", address - freed->first,
                       named(freed->first, freed->second.end));
  if (allocations_.empty()) return "there are no allocations";
  const auto above = allocations_.upper_bound(address);
  const auto below = above == allocations_.begin() ? allocations_.end() : std::prev(above);
  const bool has_below = below != allocations_.end(), has_above = above != allocations_.end();
  const uint64_t past = has_below ? address - below->second.end : 0; // wraps when address is inside
  if (has_below && address < below->second.end)
    return fmt::format("{} bytes before the end of allocation {}", below->second.end - address,
                       named(below->first, below->second.end));
  if (has_above && (!has_below || above->first - address < past))
    return fmt::format("{} bytes before allocation {}", above->first - address,
                       named(above->first, above->second.end));
  return fmt::format("{} bytes past the end of allocation {}", past, named(below->first, below->second.end));
}

size_t AddressSpace::used() const {
  const std::lock_guard lock(mutex_);
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

void AddressCheck::forget() {
  releases_ = AddressSpace::releases(); // before what is looked up from here on
  for (Extent& each : recent_) each = {};
}

void AddressCheck::refuse(uint64_t address, uint64_t bytes, bool write, int lane) {
  throw AccessFault(fmt::format("{} of {} bytes at {:#x}{} is outside every allocation: {}",
                                write ? "write" : "read", bytes, address,
                                lane < 0 ? "" : fmt::format(" by lane {}", lane),
                                AddressSpace::device().describe(address)),
                    address, bytes, write, lane);
}

} // namespace fmha950::machine
