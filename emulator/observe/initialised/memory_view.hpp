#pragma once
// Which bytes of device memory nobody has written yet, asked again and again by one host thread.

#include "emulator/observe/initialised/initialised_device.hpp"

namespace fmha950::observe {

// Device memory as one host thread sees it: remembers the regions it used last.
class MemoryView {
 public:
  explicit MemoryView(const DeviceInitialised& device) : device_(device) {}
  // Scratch is the workgroup's own: invalid when one starts.
  void start(uint64_t scratch_begin, uint64_t scratch_end);
  uint64_t invalid(uint64_t address, uint32_t bytes) { // bit i: byte address + i; at most 64
    const RegionValidity* region = region_of(address);
    return region && region->contains(address, bytes) ? region->invalid(address, bytes) : 0;
  }
  void write(uint64_t address, uint32_t bytes, uint64_t invalid, uint64_t instruction,
             const loader::Kernel* kernel) {
    RegionValidity* region = region_of(address);
    if (region && region->contains(address, bytes))
      region->write(address, bytes, invalid, instruction, kernel);
  }
  // Whether the 64 accesses are valid; without looking at single bytes, so false may be wrong.
  bool are_valid(const uint64_t (&addresses)[64], uint32_t bytes);

 private:
  struct Slot { // [begin, end) is one region, or (null) a gap between regions
    uint64_t begin = 0, end = 0;
    std::shared_ptr<RegionValidity> region;
  };
  RegionValidity* region_of(uint64_t address);
  const DeviceInitialised& device_;
  std::shared_ptr<RegionValidity> scratch_;
  static constexpr int slots = 4;
  Slot recent_[slots]; // the last used first
};

} // namespace fmha950::observe
