#pragma once
// Memory operations in flight of one wave (machine_gfx950.md section 1.1). An operation has two moments: its
// *effect* (memory is read or written) and its *delivery* (destination registers, or LDS for LDS DMA, are
// written, and the counter goes down). Between issue and the s_waitcnt that forces it, the schedule chooses
// both.
//
// VMEM operations take effect and return in issue order; so do DS operations among themselves. SMEM returns
// out of order. FLAT owes both counters. vmcnt holds 63, lgkmcnt 15: issue stalls (delivers the oldest)
// beyond that.

#include "emulator/machine/schedule.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace fmha950::isa {
struct Instruction;
}

namespace fmha950::machine {

struct Wave;

struct Access {
  const isa::Instruction* instruction = nullptr;
  void (*effect)(Wave&, Access&) = nullptr;  // memory -> data, or data -> memory
  void (*deliver)(Wave&, Access&) = nullptr; // data -> registers or LDS; null when nothing is returned
  uint64_t lanes = 0;                        // lanes that take part
  uint64_t lds_lanes = 0;                    // FLAT: lanes whose address lies in the shared aperture
  uint64_t dropped[4] = {};                  // per dword of the access: lanes out of the buffer's range
  uint32_t lds_base = 0;                     // LDS DMA: M0 + inst_offset
  alignas(64) uint64_t address[64];          // byte address per lane: device memory, or LDS offset for DS
  alignas(64) uint32_t data[4][64]; // dword d of lane l: store data, atomic operand, then what was loaded
};

enum class Queue : uint8_t { vm, ds, smem, flat };

class MemoryQueues {
 public:
  void reset(const Schedule& schedule, uint64_t seed); // a new wave

  // Hands out an Access to fill in; then issue() it. Under `eager` it takes effect and is delivered at once,
  // without being queued. `count` is what it adds to its counter (SMEM of two or more dwords: 2).
  Access& allocate();
  void issue(Wave& wave, Access& access, Queue queue, int count = 1);

  void wait_vmcnt(Wave& wave, int limit);
  void wait_lgkmcnt(Wave& wave, int limit);
  void drain(Wave& wave); // s_endpgm's implicit s_waitcnt 0
  bool wants_steps() const { return schedule_.memory == MemoryOrder::random && pending_; }
  void step(Wave& wave); // random: after every instruction, may let operations take effect or deliver

 private:
  struct Entry {
    std::unique_ptr<Access> access;
    int count = 1;
    bool effected = false;
    bool also_lgkm = false;
  };
  Schedule schedule_;
  Random random_;
  bool pending_ = false;
  std::deque<Entry> vm_, ds_, smem_;
  std::vector<std::unique_ptr<Access>> free_;
  std::unique_ptr<Access> spare_;
};

} // namespace fmha950::machine
