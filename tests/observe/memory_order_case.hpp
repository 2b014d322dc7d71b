#pragma once
// What tests of the device-memory order check share: two host threads that follow workgroups of one launch,
// and rows of 1 KiB that all lanes touch.

#include "tests/observe/traced_workgroup.hpp"

namespace fmha950::test {

struct MemoryOrderCase {
  static constexpr uint64_t base = 0x8000'3456'0000; // where no host has memory
  static LaneRange row_at(uint64_t offset) { return {.begin = base + offset, .bytes = 16, .stride = 16}; }

  MemoryOrderCase() { memory.begin_launch(); }
  CollectedHazards hazards{order_checks};
  observe::MemoryShadow memory;
  observe::OrderChecks checks{memory, hazards}, other_checks{memory, hazards}; // of a host thread each

  // An atomic add of lane 0; with `returns` the wave waits for the result.
  static void add(TracedWorkgroup& workgroup, int wave, uint64_t address, bool returns = true) {
    workgroup.vm(wave, Kind::atomic, one_lane(address), returns);
    if (returns) workgroup.wait_vmcnt(wave, 0);
  }
};

} // namespace fmha950::test
