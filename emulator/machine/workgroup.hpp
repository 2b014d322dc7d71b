#pragma once
// One workgroup on one host thread: its waves, its LDS and its barrier.

#include "emulator/machine/old_values.hpp"
#include "emulator/machine/pacer.hpp"
#include "emulator/machine/wave.hpp"
#include "emulator/memory/address_space.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace fmha950::machine {

struct Launch;

struct Workgroup {
  const Launch* launch = nullptr;
  uint32_t id[3] = {};
  uint64_t linear_id = 0;
  uint8_t* lds = nullptr; // 64-byte aligned
  uint32_t lds_bytes = 0; // allocation: accesses at or beyond it read 0 and drop writes
  Extent scratch;         // of its waves, one after the other; its host thread's. Empty: none
  std::vector<Wave> waves;
  AddressCheck check; // device-memory bounds
  Random wave_random;
  OldValues* old_values = nullptr; // null: loads always see memory
  CacheTimes caches;

  WorkgroupPacer* pacer = nullptr; // under `timed`

  void run(); // until every wave has ended; throws Fault
  // Instructions of a wave that runs until the last of them; throws Fault.
  void step(Wave& wave, uint32_t instructions = 1);
  // Between turns: whether the launch is to stop, and what was released meanwhile; throws Fault.
  void look_around();
  // Opens the barrier for all that wait at it; false: nobody does.
  bool release_barrier();
};

} // namespace fmha950::machine
