#pragma once
// Device memory: sparse allocations in the host's own address space, so that a device pointer is a host
// pointer and a 10 GB pool costs only what is touched. Every allocation has inaccessible pages around it;
// accesses are checked against the allocations, so a stray access is a Fault, never a crash of the host.

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace fmha950::machine {

// Apertures of the generic address space (machine_gfx950.md section 4.3): 4 GiB each.
constexpr uint64_t shared_aperture = 0x0001'0000'0000'0000;
constexpr uint64_t private_aperture = 0x0002'0000'0000'0000;
constexpr uint64_t device_memory_bytes = 288ull << 30; // machine_gfx950.md section 6.1: 288 GB HBM3E

struct Extent {
  uint64_t begin = 0, end = 0; // [begin, end)
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= begin && address + bytes <= end && address + bytes >= address;
  }
};

class AddressSpace {
 public:
  static AddressSpace& device(); // the one device of the process

  void* allocate(size_t bytes);                    // null: out of device memory
  bool release(void* pointer);                     // false: not the start of a live allocation
  void register_host(void* pointer, size_t bytes); // host-pinned memory the device may touch
  Extent find(uint64_t address) const;             // empty extent when no allocation holds it
  size_t used() const;

 private:
  struct Allocation {
    uint64_t end;
    void* mapping; // null for registered host memory
    size_t mapped_bytes;
  };
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, Allocation> allocations_; // by begin
  size_t used_ = 0;
};

// A wave's last few allocations, so that the check costs two compares. Throws Fault when the address is in
// none.
class AddressCheck {
 public:
  void require(uint64_t address, uint64_t bytes, bool write) {
    if (!last_.contains(address, bytes)) [[unlikely]]
      lookup(address, bytes, write);
  }
  bool covers(uint64_t low, uint64_t high_end) const { return last_.contains(low, high_end - low); }

 private:
  void lookup(uint64_t address, uint64_t bytes, bool write);
  Extent last_;
};

} // namespace fmha950::machine
