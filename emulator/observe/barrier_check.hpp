#pragma once
// Barrier divergence: a wave that took part in barriers ends, or loops for ever, while others wait for it
// (DESIGN.md section 5 item 7). The hardware lets ended waves drop out of the barrier (machine_gfx950.md
// section 1.2), so such a kernel runs on, one barrier out of step. Public kernels stagger their groups of waves like that
// (errata.md): the one has a barrier more at the start, and the other ends before the last one. That is a note. It is an error
// if the wave that ended has more than one barrier fewer, if the one that it lacks is not at the start (missing_barrier.hpp),
// or if accesses of the workgroup to LDS lack an order, too. A wave that leaves before its first barrier and without having touched
// memory is an early exit, and waves that meet at different s_barrier instructions are legal.

#include "emulator/machine/workgroup.hpp"
#include "emulator/observe/report/hazard.hpp"

#include <vector>

namespace fmha950::observe {

// What a report says is missing where one group of waves has a barrier more at the start.
constexpr const char* staggered_by_a_barrier =
    "an s_barrier at the end of the wave that ended: the groups are staggered by one";

class BarrierCheck {
 public:
  void start(const machine::Workgroup& workgroup);
  void arrived(const machine::Wave& wave, const isa::Instruction& in);
  void ended(const machine::Wave& wave, const isa::Instruction& in, bool touched_memory);
  void released(const machine::Workgroup& workgroup);
  bool all_ended() const { return running_ == 0; }
  // What was found, once no wave comes to another barrier. `lds_order_lost`: an error of that class was reported.
  void report(const machine::Workgroup& workgroup, bool lds_order_lost, HazardSink& sink);
  // True, and reported, when others wait for a wave that used up its instruction budget.
  bool ran_away(const machine::Wave& wave, HazardSink& sink) const;

 private:
  struct State {
    bool took_part = false;                     // in barriers, or in the work of the workgroup
    const isa::Instruction* waits_at = nullptr; // the s_barrier it waits at
    const isa::Instruction* ended_at = nullptr;
    std::vector<const isa::Instruction*> met; // its barriers
  };
  // The first time that a wave waits at that place for one that has ended; of several waves the one that met most barriers.
  struct Missed {
    int ended = 0, waiting = 0;
    const isa::Instruction* waits_at = nullptr;
    size_t number = 0; // of the barrier, from 1
  };
  const State* furthest_waiting() const; // of those with the most barriers the first
  Hazard hazard_of(const machine::Workgroup& workgroup, const Missed& missed, bool lds_order_lost) const;

  std::vector<State> waves_;
  std::vector<Missed> missed_;
  size_t running_ = 0; // waves
};

} // namespace fmha950::observe
