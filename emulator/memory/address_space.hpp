#pragma once
// Device memory: sparse allocations in the host's own address space, so that a device pointer is a host
// pointer and a 10 GB pool costs only what is touched. Every allocation has inaccessible pages around it;
// accesses are checked against the allocations, so a stray access is a Fault, never a crash of the host.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <shared_mutex>
#include <string>
#include <utility>

namespace fmha950::machine {

// Apertures of the generic address space (machine_gfx950.md section 4.3): 4 GiB each.
constexpr uint64_t shared_aperture = 0x0001'0000'0000'0000;
constexpr uint64_t private_aperture = 0x0002'0000'0000'0000;
constexpr uint64_t device_memory_bytes = 288ull << 30; // machine_gfx950.md section 6.1: 288 GB HBM3E

struct Extent {
  uint64_t begin = 0, end = 0; // [begin, end)
  [[gnu::always_inline]] bool contains(uint64_t address, uint64_t bytes) const {
    return address >= begin && address <= end && bytes <= end - address;
  }
};

class AddressSpace {
 public:
  static AddressSpace& device(); // the one device of the process

  ~AddressSpace();
  void* allocate(size_t bytes);                    // page-aligned and zero; null: out of device memory
  bool release(void* pointer);                     // false: not the start of a live allocation
  void register_host(void* pointer, size_t bytes); // host-pinned memory the device may touch
  Extent find(uint64_t address) const;             // empty extent when no allocation holds it
  std::string describe(uint64_t address) const;    // where an address lies relative to the nearest allocation
  size_t used() const;

 private:
  struct Allocation {
    uint64_t end;
    void* mapping; // null for registered host memory
    size_t mapped_bytes;
  };
  mutable std::shared_mutex mutex_;
  void retire(uint64_t begin, const Allocation& allocation);
  const std::pair<uint64_t, Allocation>* find_freed(uint64_t address) const;
  std::map<uint64_t, Allocation> allocations_; // by begin
  // The last allocations that were released: their addresses are not given out again for a while, so that a
  // use after the release is told as such.
  std::deque<std::pair<uint64_t, Allocation>> freed_;
  static constexpr size_t most_freed = 1024;
  size_t used_ = 0;
  // The same addresses in every process: modelled caches find lines by them. None is given out twice.
  uint64_t next_ = uint64_t{1} << 45;
};

// A workgroup's last few allocations, so that the check costs two compares. Throws Fault when the address is
// in none. Lives no longer than a launch, during which nothing is released.
class AddressCheck {
 public:
  [[gnu::always_inline]] void require(uint64_t address, uint64_t bytes, bool write, int lane = -1) {
    if (!covers(address, address + bytes)) [[unlikely]]
      refuse(address, bytes, write, lane);
  }
  // Whether [low, high_end) lies within one allocation.
  [[gnu::always_inline]] bool covers(uint64_t low, uint64_t high_end) {
    return recent_[0].contains(low, high_end - low) || find(low, high_end - low);
  }

 private:
  bool find(uint64_t address, uint64_t bytes);
  [[noreturn]] static void refuse(uint64_t address, uint64_t bytes, bool write, int lane);
  static constexpr int slots = 8;
  Extent recent_[slots]; // most recent first
};

} // namespace fmha950::machine
