#pragma once
// Visibility across caches (DESIGN.md section 5, hazard 9). Order is not enough for a store to be seen: within a launch
// the vector L1 of a compute unit, the L2 of a chiplet and the scalar cache are not kept alike
// (machine_gfx950.md section 4.2, "Cache bits").
// - What a workgroup stored is in memory once its store had sc1, or once a wave that knew the store to be issued
//   executed buffer_wbl2 sc1 and waited for it. Atomics that read and write are performed in memory.
// - A load sees memory if it has sc1, or if its workgroup has executed buffer_inv sc1 since it knew of the store.
// - A scalar load sees it once s_dcache_inv has been executed since, also what its own workgroup stored by VMEM.
// The end of a launch makes everything visible.
//
// Which workgroups share a compute unit or a chiplet is not guaranteed: a store of another workgroup is always taken
// for one behind both caches. Not reported: stores to one byte by two chiplets that reach memory in the wrong order.

#include "emulator/observe/order/memory_shadow.hpp"

namespace fmha950::observe {

class Visibility { // of the workgroup that runs
 public:
  explicit Visibility(const WorkgroupClocks& clocks) : clocks_(clocks) {}
  void start() { waves_ = {}, arrived_ = 0; }

  // Instructions that concern caches. `mine` is the completion of `wave`'s own operations.
  void write_back(int wave, const Completion& mine);
  void invalidate(int wave);
  void invalidate_scalar(int wave, const Completion& mine);
  void waited(int wave, const Completion& mine, uint32_t vmcnt);
  void arrived(int wave) { arrived_ |= 1u << wave; }
  void released();

  // The part of what `wave` knows that is in memory; handed on with its knowledge (WorkgroupClocks::released_by).
  SharedKnowledge in_memory(int wave) const {
    return joined(waves_[wave].learned, waves_[wave].written_back);
  }
  void learn(int wave, const SharedKnowledge& in_memory);

  // A load, as far as caches are concerned.
  struct Load {
    int wave;
    bool scalar, past_caches; // past_caches: sc1
    const isa::Instruction* instruction;
    bool polls; // in a loop that it ends
  };
  // What a load that is ordered behind a plain store of another workgroup lacks to be sure to see it: "buffer_inv sc1
  // after the flag is seen"; empty: nothing. `store` may be null: unknown.
  std::string missing_behind_order(const Load& load, AccessTag earlier, const isa::Instruction* store) const;
  // The same of a scalar load behind a vector store of its own workgroup.
  std::string missing_in_workgroup(int wave, AccessTag earlier) const;
  // And of one that reads what an atomic, or a store with a scope, of another workgroup has left there, as a flag.
  std::string missing_of_flag(const Load& load, AccessTag earlier, const isa::Instruction* store);

 private:
  struct WriteBack {
    uint32_t issued; // VMEM operations before it
    VectorClock stored;
  };
  struct Poll {
    const isa::Instruction* instruction;
    uint32_t invalidations; // before it was executed last
  };
  struct Wave {
    SharedKnowledge learned;      // of other workgroups, what was in memory when they told of it
    SharedKnowledge written_back; // of this workgroup
    SharedKnowledge seen;         // of other workgroups, by vector loads that have no sc1
    SharedKnowledge seen_scalar;  // by scalar loads, of this workgroup, too
    std::vector<WriteBack> pending;
    std::vector<Poll> polls;
    uint32_t invalidations = 0;
  };
  const WorkgroupClocks& clocks_;
  std::array<Wave, VectorClock::max_waves> waves_;
  uint32_t arrived_ = 0; // waves, bit by bit
};

} // namespace fmha950::observe
