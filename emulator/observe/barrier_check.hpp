#pragma once
// Barrier divergence: a wave that took part in barriers ends, or loops for ever, while others wait for it
// (DESIGN.md section 5 item 7). The hardware lets ended waves drop out of the barrier (machine_gfx950.md
// section 1.2), so such a kernel runs on, one barrier out of step: a note, as what goes wrong then is found by the
// checks of order, and public kernels stagger their waves like that (errata.md). A wave that leaves before its first
// barrier and without having touched memory is an early exit, and waves that meet at different s_barrier
// instructions are legal.

#include "emulator/machine/workgroup.hpp"
#include "emulator/observe/report/hazard.hpp"

#include <vector>

namespace fmha950::observe {

class BarrierCheck {
 public:
  void start(const machine::Workgroup& workgroup);
  void arrived(const machine::Wave& wave, const isa::Instruction& in);
  void ended(const machine::Wave& wave, const isa::Instruction& in, bool touched_memory);
  void released(const machine::Workgroup& workgroup, HazardSink& sink);
  // True, and reported, when others wait for a wave that used up its instruction budget.
  bool ran_away(const machine::Wave& wave, HazardSink& sink) const;

 private:
  struct State {
    bool took_part = false;                     // in barriers, or in the work of the workgroup
    const isa::Instruction* waits_at = nullptr; // the s_barrier it waits at
    const isa::Instruction* ended_at = nullptr;
    uint64_t barriers = 0;
  };
  const State* any_waiting() const;
  std::vector<State> waves_;
};

} // namespace fmha950::observe
