#pragma once
// A wave's memory operations that its s_waitcnts do not guarantee to be complete, and the registers they will
// write: reading or overwriting one of those is a hazard (register_in_flight).
//
// What a wait guarantees (machine_gfx950.md section 1.1): VMEM and DS operations complete in issue order, so
// after vmcnt(n) all but the youngest n VMEM operations are complete. SMEM returns out of order: only
// lgkmcnt(0) says that it is complete. FLAT completes out of order and counts in both counters: only zero on
// both says that it is complete. A counter at its maximum stalls issue, which is a wait too.

#include "emulator/isa/waitcnt.hpp"
#include "emulator/observe/operation/completion.hpp"
#include "emulator/observe/operation/register_set.hpp"
#include "emulator/observe/report/hazard.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fmha950::observe {

// What the check below wants to know of a decoded instruction.
struct InFlightInfo {
  FewRegisters touched;
  bool all_lanes = false; // reaches lanes beyond EXEC: MFMA, v_readlane, permutes, DPP
  bool loads = false;     // writes registers as a memory operation
  bool flat = false;      // segment 0: owes both counters
};
InFlightInfo in_flight_info_of(const isa::Instruction& in, const isa::Uses& uses);

// An operation's result on its way to registers. The running check and the check without running
// (emulator/static_check) both ask here what may be done to those.
struct Arriving {
  const isa::Instruction* instruction = nullptr;
  isa::RegisterRange destination; // count 0: none
  machine::Queue queue = machine::Queue::vm;
  bool flat = false;
};
struct Touch {
  isa::RegisterRange registers;
  bool reads = false; // else overwrites
};
std::optional<Touch> touch_of(const isa::Instruction& in, const isa::Uses& uses, const InFlightInfo& info,
                              const Arriving& arriving);
// "v4 is read while global_load_dword into v4 is in flight"
std::string text_of(const Touch& touch, const Arriving& arriving, uint32_t accum_offset);
// What a wait must say so that the operation is complete; `younger` of its queue are in flight that are not FLAT.
std::string wait_for(const Arriving& arriving, size_t younger);

class InFlight {
 public:
  void start();
  // Before each instruction: does it touch a register that is in flight?
  [[gnu::always_inline]] void instruction(const machine::Wave& wave, const isa::Instruction& in,
                                          const isa::Uses& uses, const InFlightInfo& info, HazardSink& sink) {
    if (!are_collected_) collect_registers();
    if (registers_.intersects(info.touched)) [[unlikely]]
      find_conflicts(wave, in, uses, info, sink);
  }
  // At issue; returns the operation's number in its queue. `units` is what it adds to its counter.
  uint32_t issue(const machine::Wave& wave, const isa::Instruction& in, const isa::Uses& uses,
                 const InFlightInfo& info, machine::Queue queue, int units);
  void wait(isa::Waitcnt limits);
  const Completion& completion() const { return completion_; }
  template <class Function> void for_each(Function function) const { // that may be in flight
    for (const Operations* operations : {&vm_, &ds_, &smem_})
      for (const Operation& operation : *operations) function(operation);
  }

 private:
  struct Operation : Arriving {
    uint64_t lanes;
    uint32_t clock;
    int units;
  };
  using Operations = std::vector<Operation>; // oldest first

  void find_conflicts(const machine::Wave& wave, const isa::Instruction& in, const isa::Uses& uses,
                      const InFlightInfo& info, HazardSink& sink) const;
  void complete_oldest(Operations& operations, int limit);
  void count_complete(const Operations& operations, Completion::Count& count);
  void collect_registers();
  static int units_of(const Operations& operations);

  Operations vm_, ds_, smem_;
  Completion completion_;
  RegisterSet registers_;     // destinations of all operations above
  bool are_collected_ = true; // only when instruction() asks for them
};

} // namespace fmha950::observe
