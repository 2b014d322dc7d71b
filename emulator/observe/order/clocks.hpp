#pragma once
// What each wave knows to be complete of the other waves' memory operations: the vector clocks behind the
// order checks. A wave's queues are the actors; a clock is an operation's number in its queue, and as queues
// complete in order one number per queue says it all. A barrier makes every wave know what all waves that
// arrived knew; an atomic hands on what its wave knows to whoever reads its result (memory_order.hpp).

#include "emulator/observe/operation/completion.hpp"
#include "numerics/target.hpp"

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace fmha950::observe {

struct VectorClock { // of the waves of one workgroup
  static constexpr size_t max_waves = target.waves_per_workgroup, queues = 3;
  std::array<uint32_t, max_waves * queues> complete = {};
  // VMEM operation up to which atomics have taken effect: one whose result was seen has, complete or not.
  std::array<uint32_t, max_waves> atomics = {};

  uint32_t of(int wave, machine::Queue queue) const { return complete[index(wave, queue)]; }
  void raise(int wave, const Completion& completion);
  void join(const VectorClock& other);

 private:
  static size_t index(int wave, machine::Queue queue) {
    return static_cast<size_t>(wave) * queues + static_cast<size_t>(queue);
  }
};

// Tags of accesses have room for that much (memory_shadow.hpp): workgroups 2^20 apart are taken for one.
constexpr uint64_t workgroup_mask = (1u << 20) - 1;

// Clocks of several workgroups, by workgroup & workgroup_mask.
class WorkgroupKnowledge {
 public:
  const VectorClock* find(uint64_t workgroup) const;
  void join(uint64_t workgroup, const VectorClock& clock);
  void join(const WorkgroupKnowledge& other);

 private:
  struct Entry {
    uint64_t workgroup;
    VectorClock clock;
  };
  std::vector<Entry> entries_; // sorted
};
using SharedKnowledge = std::shared_ptr<const WorkgroupKnowledge>;
SharedKnowledge joined(const SharedKnowledge& a, const SharedKnowledge& b); // either may be null

struct Operation { // a memory operation of a wave
  uint32_t clock = 0;
  uint8_t wave = 0;
  machine::Queue queue = machine::Queue::vm;
  bool operator==(const Operation&) const = default;
};

class WorkgroupClocks { // of the workgroup that runs
 public:
  // `doubts_meetings`: waves that meet after different numbers of barriers would not meet if those in doubt were not there. So
  // they learn nothing of each other.
  void start(uint64_t workgroup, size_t waves, bool doubts_meetings = false);
  void arrived(int wave, const Completion& completion);
  void ended(int wave, const Completion& completion); // for the last time: no barrier waits for it any more
  void arrived_in_doubt() { some_in_doubt_ = true; }  // a wave whose arrival is to order nothing
  void released();

  // `mine` is the completion of `wave`'s own operations.
  bool knows(int wave, const Completion& mine, const Operation& earlier) const {
    return earlier.clock <= (earlier.wave == wave ? mine.of(earlier.queue).complete
                                                  : known_[wave].of(earlier.wave, earlier.queue));
  }
  const VectorClock& known(int wave) const { return known_[wave]; } // of the other waves of this workgroup
  const VectorClock& known_to_all() const { return published_; }    // by barriers
  const VectorClock* known_of(int wave, uint64_t workgroup) const { // of another workgroup; null: nothing
    return foreign_[wave] ? foreign_[wave]->find(workgroup) : nullptr;
  }
  // What would order `earlier` before what `wave` does now: "s_waitcnt vmcnt(2) before the barrier". Its
  // instruction may be null: unknown.
  std::string missing(int wave, const Completion& mine, const Operation& earlier,
                      const isa::Instruction* instruction) const;

  // What a wave knows about this workgroup and about others, for a wave that learns it through LDS.
  struct Known {
    VectorClock clock;
    SharedKnowledge foreign;
  };
  Known of(int wave) const { return {known_[wave], foreign_[wave]}; }
  void learn(int wave, const Known& known);

  // What a wave knows to be complete of its own workgroup.
  VectorClock of_workgroup(int wave, const Completion& mine) const;
  SharedKnowledge as_knowledge(const VectorClock& of_workgroup) const;
  const SharedKnowledge& foreign(int wave) const { return foreign_[wave]; } // of other workgroups

  // Release, by the wave's VMEM operation number `atomic`, and acquire.
  SharedKnowledge released_by(int wave, const Completion& mine, uint32_t atomic) const;
  void learn(int wave, const SharedKnowledge& knowledge);

 private:
  template <class Visit> static void for_each_of(uint32_t waves, Visit visit);
  void meet(uint32_t waves);
  void meet_by_barriers(uint32_t waves);

  uint64_t workgroup_ = 0; // & workgroup_mask
  size_t waves_ = 0;
  uint32_t arrived_ = 0, ended_ = 0; // waves, bit by bit
  bool some_in_doubt_ = false, doubts_meetings_ = false;
  std::array<uint32_t, VectorClock::max_waves> barriers_ = {}; // that a wave came to, but for those in doubt
  std::array<VectorClock, VectorClock::max_waves> known_;
  std::array<SharedKnowledge, VectorClock::max_waves> foreign_;
  VectorClock published_;
  std::array<Completion, VectorClock::max_waves> arriving_, at_barrier_; // at_barrier_: the last one released
};

} // namespace fmha950::observe
