#pragma once
// Device memory: sparse allocations in the host's own address space, so that a device pointer is a host
// pointer and a 10 GB pool costs only what is touched. Every allocation has inaccessible pages around it;
// accesses are checked against the allocations, so a stray access is a Fault, never a crash of the host.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

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

  AddressSpace();
  ~AddressSpace();
  void* allocate(size_t bytes); // page-aligned and zero; null: out of device memory
  // The same for scratch. It comes when host threads want it, so its addresses are apart: those of other memory stay the
  // same however many threads there are.
  void* allocate_scratch(size_t bytes);
  // The same in a range of its own, for what the device library and the host keep in order by themselves: no cache holds
  // old bytes of it, and checks of order leave it out.
  void* allocate_coherent(size_t bytes);
  bool is_coherent(uint64_t address) const { return address - coherent_begin_ < coherent_bytes; }
  // False: not the start of a live allocation. `afterwards`: when nobody uses the memory any more (Use).
  bool release(void* pointer, std::function<void()> afterwards = {});
  void register_host(void* pointer, size_t bytes); // host-pinned memory the device may touch
  Extent find(uint64_t address) const;             // empty extent when no allocation holds it
  std::vector<Extent> live() const;                // allocations, without coherent ones, by address
  std::string describe(uint64_t address) const;    // where an address lies relative to the nearest allocation
  size_t used() const;

  // As long as one lives, what is released stays readable and writable, though no longer found: who looked an address up
  // before the release meets no crash.
  class Use {
   public:
    Use();
    ~Use();
    Use(const Use&) = delete;

   private:
    uint64_t releases_;
  };
  // How many there were: who remembers extents asks whether they may be gone.
  static uint64_t releases() { return releases_.load(std::memory_order_relaxed); }

 private:
  struct Allocation {
    uint64_t end;
    void* mapping; // null for registered host memory
    size_t mapped_bytes;
  };
  struct Released { // but perhaps in use
    uint64_t number;
    Allocation allocation;
    std::function<void()> afterwards;
  };
  mutable std::mutex mutex_;
  void give_back(const Released& released);
  void* map(size_t bytes, uint64_t& next, int flags); // under the lock; `next`: where, and where the next one
  void unmap(uint64_t begin, const Allocation& allocation);
  const std::pair<uint64_t, Allocation>* find_freed(uint64_t address) const;
  std::map<uint64_t, Allocation> allocations_; // by begin
  // The last allocations that were released: their addresses are not given out again for a while, so that a
  // use after the release is told as such.
  std::deque<std::pair<uint64_t, Allocation>> freed_;
  static constexpr size_t most_freed = 1024;
  std::multiset<uint64_t> uses_;  // by the number of releases when they began
  std::deque<Released> released_; // in order
  static inline std::atomic<uint64_t> releases_ = 0;
  size_t used_ = 0;
  // The same addresses in every process: modelled caches find lines by them. None is given out twice. Of the host's low
  // addresses a program under a thread sanitizer has the first 2 TiB only.
#if __has_feature(thread_sanitizer)
  static constexpr uint64_t first = uint64_t{1} << 37;
#else
  static constexpr uint64_t first = uint64_t{1} << 45;
#endif
  uint64_t next_ = first;
  uint64_t next_scratch_ = first / 2 * 3;
  static constexpr uint64_t coherent_bytes = 4 * device_memory_bytes;
  const uint64_t coherent_begin_; // where no memory is if the host has no room
  uint64_t next_coherent_;
};

// A workgroup's last few allocations, so that the check costs two compares. Throws Fault when the address is
// in none. Lives within a Use; forget_released() drops what another thread has released.
class AddressCheck {
 public:
  [[gnu::always_inline]] void require(uint64_t address, uint64_t bytes, bool write, int lane = -1) {
    if (!covers(address, address + bytes)) [[unlikely]]
      refuse(address, bytes, write, lane);
  }
  [[gnu::always_inline]] void forget_released() {
    if (AddressSpace::releases() != releases_) [[unlikely]]
      forget();
  }
  // Whether [low, high_end) lies within one allocation.
  [[gnu::always_inline]] bool covers(uint64_t low, uint64_t high_end) {
    return recent_[0].contains(low, high_end - low) || find(low, high_end - low);
  }

 private:
  bool find(uint64_t address, uint64_t bytes);
  void forget();
  [[noreturn]] static void refuse(uint64_t address, uint64_t bytes, bool write, int lane);
  static constexpr int slots = 8;
  Extent recent_[slots]; // most recent first
  uint64_t releases_ = 0;
};

} // namespace fmha950::machine
