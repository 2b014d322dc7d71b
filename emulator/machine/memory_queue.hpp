#pragma once
// Memory operations in flight of one wave (machine_gfx950.md section 1.1). An operation has two moments: its
// *effect* (memory is read or written) and its *delivery* (destination registers, or LDS for LDS DMA, are
// written, and the counter goes down). Between issue and the s_waitcnt that forces it, the schedule chooses
// both: `timed` as the cycle model has it (pacer.hpp), `eager` both at issue, `lazy` both when forced, `random` each
// at a random moment in between, `pct` each queue's effects and deliveries either promptly or when forced, which changes at few moments. Store
// data and addresses are captured at issue. Under `random` and `pct` a delivery may land piecemeal: some
// lanes (SMEM: dwords) before the others, and before the counter goes down.
//
// VMEM operations take effect and return in issue order; so do DS operations among themselves. SMEM returns
// out of order. FLAT is two operations, one per counter: its device-memory lanes are VMEM, its LDS lanes DS.
// vmcnt holds 63, lgkmcnt 15: issue stalls (something is forced) beyond that.

#include "emulator/machine/schedule.hpp"

#include <cstdint>
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
  uint64_t lanes = 0;                        // that take part: what is loaded is delivered to these
  uint64_t valid = 0;                        // of these, wholly in range; others load 0 and store nothing
  uint64_t dropped[4] = {};                  // per dword: lanes out of the buffer's range
  uint64_t swizzled = 0;                     // lanes whose dwords lie dword_stride apart instead of 4
  uint32_t dword_stride = 4;                 // 256 for scratch (machine_gfx950.md section 4.3)
  bool irregular = false;                    // lanes must be moved byte by byte (isa/vmem.hpp)
  uint8_t format_bytes = 0;                  // per lane in memory, of what has a format; else 0
  uint32_t format = 0;                       // isa/buffer_format.hpp
  uint32_t lds_base = 0;                     // LDS DMA: M0 + inst_offset
  union {
    alignas(64) uint64_t address[64]; // device memory, byte address per lane
    uint32_t lds_address[64];         // DS
  };
  union {
    alignas(64) uint32_t data[4][64]; // dword d of lane l: store data, atomic operand, then what was loaded
    uint32_t rows[64][4];             // LDS DMA and SMEM: lane by lane
  };
  Access() {} // address and data stay uninitialised: this is on the path of every memory instruction
};

enum class Queue : uint8_t { vm, ds, smem };

class MemoryQueues {
 public:
  static constexpr int vmcnt_max = 63, lgkmcnt_max = 15;

  void reset(const Schedule& schedule, uint64_t seed); // a new wave

  // Under `eager` an operation need not be queued: its issuer lets it take effect and deliver at once.
  [[gnu::always_inline]] bool eager() const { return schedule_.memory == MemoryOrder::eager; }
  // Otherwise: hands out an Access to fill in, then issue() it. `count` is what it adds to its counter.
  Access& allocate();
  void issue(Wave& wave, Access& access, Queue queue, int count = 1);
  void give_back(std::unique_ptr<Access> access) { free_.push_back(std::move(access)); } // `timed`: delivered

  [[gnu::always_inline]] void wait_vmcnt(Wave& wave, int limit) {
    if (vmcnt_ > limit) [[unlikely]]
      force_vm(wave, limit);
  }
  [[gnu::always_inline]] void wait_lgkmcnt(Wave& wave, int limit) {
    if (lgkmcnt_ > limit) [[unlikely]]
      force_lgkm(wave, limit);
  }
  [[gnu::always_inline]] void drain(Wave& wave) { // s_endpgm's implicit s_waitcnt 0
    wait_vmcnt(wave, 0);
    wait_lgkmcnt(wave, 0);
  }
  [[gnu::always_inline]] bool wants_steps() const {
    return stepped_order(schedule_.memory) && vmcnt_ + lgkmcnt_ > 0;
  }
  static bool stepped_order(MemoryOrder order) {
    return order == MemoryOrder::random || order == MemoryOrder::pct;
  }
  // random, pct: after every instruction, may let operations take effect or deliver.
  void step(Wave& wave);

  int vmcnt() const { return vmcnt_; }
  int lgkmcnt() const { return lgkmcnt_; }

 private:
  struct Entry {
    std::unique_ptr<Access> access;
    uint64_t number = 0; // order of issue
    int count = 1;
    Queue queue = Queue::vm;
    bool effected = false;
    uint64_t landed = 0; // lanes whose delivery is done
  };
  using Entries = std::vector<Entry>; // oldest first
  struct Pace {                       // a moment comes about once in so many instructions
    uint32_t effect = 1, delivery = 1, piece = 1;
  };
  static constexpr uint32_t never = 0, prompt = 1; // as a pace

  void force_vm(Wave& wave, int limit);
  void force_lgkm(Wave& wave, int limit);
  void take_effect(Wave& wave, Entry& entry);
  void deliver(Wave& wave, Entries& entries, size_t index, int& counter);
  void land_piece(Wave& wave, Entry& entry);
  bool comes(uint32_t pace) { return pace == prompt || (pace != never && random_.below(pace) == 0); }
  void step(Wave& wave, Entries& entries, bool in_order, Pace pace, int& counter);
  void draw_paces();
  void draw_priorities();
  void change_priority();

  Schedule schedule_;
  Random random_;
  Pace vm_pace_, ds_pace_, smem_pace_;
  ChangePoints changes_; // pct
  uint64_t issued_ = 0;
  int vmcnt_ = 0, lgkmcnt_ = 0;
  Entries vm_, ds_, smem_;
  std::vector<std::unique_ptr<Access>> free_;
  std::unique_ptr<Access> handed_out_;
};

} // namespace fmha950::machine
