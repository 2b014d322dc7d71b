#include "emulator/observe/order/clocks.hpp"

#include "emulator/program/row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace fmha950::observe {

using machine::Queue;

void VectorClock::raise(int wave, const Completion& completion) {
  for (Queue queue : {Queue::vm, Queue::ds, Queue::smem}) {
    uint32_t& mine = complete[index(wave, queue)];
    mine = std::max(mine, completion.of(queue).complete);
  }
}

void VectorClock::join(const VectorClock& other) {
  for (size_t i = 0; i < complete.size(); ++i) complete[i] = std::max(complete[i], other.complete[i]);
  for (size_t w = 0; w < max_waves; ++w) atomics[w] = std::max(atomics[w], other.atomics[w]);
}

const VectorClock* WorkgroupKnowledge::find(uint64_t workgroup) const {
  const auto at = std::ranges::lower_bound(entries_, workgroup, {}, &Entry::workgroup);
  return at != entries_.end() && at->workgroup == workgroup ? &at->clock : nullptr;
}

void WorkgroupKnowledge::join(uint64_t workgroup, const VectorClock& clock) {
  const auto at = std::ranges::lower_bound(entries_, workgroup, {}, &Entry::workgroup);
  if (at != entries_.end() && at->workgroup == workgroup)
    at->clock.join(clock);
  else
    entries_.insert(at, {workgroup, clock});
}

void WorkgroupKnowledge::join(const WorkgroupKnowledge& other) {
  std::vector<Entry> all;
  all.reserve(entries_.size() + other.entries_.size());
  std::ranges::merge(entries_, other.entries_, std::back_inserter(all), {}, &Entry::workgroup,
                     &Entry::workgroup);
  entries_.clear();
  for (const Entry& entry : all)
    if (!entries_.empty() && entries_.back().workgroup == entry.workgroup)
      entries_.back().clock.join(entry.clock);
    else
      entries_.push_back(entry);
}

SharedKnowledge joined(const SharedKnowledge& a, const SharedKnowledge& b) {
  if (!a || a == b) return b;
  if (!b) return a;
  auto both = std::make_shared<WorkgroupKnowledge>(*a);
  both->join(*b);
  return both;
}

void WorkgroupClocks::start(uint64_t workgroup, size_t waves, bool doubts_meetings) {
  *this = {};
  workgroup_ = workgroup & workgroup_mask;
  waves_ = waves;
  doubts_meetings_ = doubts_meetings;
}

void WorkgroupClocks::arrived(int wave, const Completion& completion) {
  arrived_ |= 1u << wave;
  arriving_[wave] = completion;
  ++barriers_[wave];
}

void WorkgroupClocks::ended(int wave, const Completion& completion) {
  arrived_ |= 1u << wave;
  ended_ |= 1u << wave;
  arriving_[wave] = completion;
}

template <class Visit> void WorkgroupClocks::for_each_of(uint32_t waves, Visit visit) {
  for (; waves; waves &= waves - 1) visit(std::countr_zero(waves));
}

void WorkgroupClocks::released() {
  for_each_of(arrived_, [&](int w) {
    at_barrier_[w] = arriving_[w];
    known_[w].raise(w, arriving_[w]);
  });
  if (doubts_meetings_) [[unlikely]]
    meet_by_barriers(arrived_ & ~ended_);
  else
    meet(arrived_);
  arrived_ = 0;
  some_in_doubt_ = false;
}

// All of them know what each of them knew.
void WorkgroupClocks::meet(uint32_t waves) {
  SharedKnowledge foreign;
  VectorClock known = published_;
  for_each_of(waves, [&](int w) {
    known.join(known_[w]);
    foreign = joined(foreign, foreign_[w]);
  });
  for_each_of(waves, [&](int w) {
    known_[w] = known;
    foreign_[w] = foreign;
  });
  if (!some_in_doubt_) published_ = known;
}

// Those that came to as many barriers meet, and with them those that ended after fewer: for these the barrier waited.
void WorkgroupClocks::meet_by_barriers(uint32_t waves) {
  const uint32_t all = waves;
  while (waves) {
    const uint32_t count = barriers_[static_cast<size_t>(std::countr_zero(waves))];
    uint32_t alike = 0, gone = 0;
    for_each_of(waves, [&](int w) { alike |= static_cast<uint32_t>(barriers_[w] == count) << w; });
    for_each_of(ended_, [&](int w) { gone |= static_cast<uint32_t>(barriers_[w] < count) << w; });
    some_in_doubt_ |= alike != all;
    meet(alike | gone);
    waves &= ~alike;
  }
}

std::string WorkgroupClocks::missing(int wave, const Completion& mine, const Operation& earlier,
                                     const isa::Instruction* instruction) const {
  const bool same_wave = earlier.wave == wave;
  const Completion& then = same_wave ? mine : at_barrier_[earlier.wave];
  if (then.of(earlier.queue).issued < earlier.clock) return "a barrier";
  const uint32_t later = then.of(earlier.queue).issued - earlier.clock;
  const char* where = same_wave ? "" : " before the barrier";
  if (instruction && isa::memory_of(*instruction).segment == isa::Segment::flat)
    return fmt::format("s_waitcnt vmcnt(0) lgkmcnt(0){}", where);
  if (earlier.queue == Queue::vm) return fmt::format("s_waitcnt vmcnt({}){}", later, where);
  // What SMEM has in flight counts too but can only make the wait longer (in_flight.hpp).
  return fmt::format("s_waitcnt lgkmcnt({}){}", earlier.queue == Queue::smem ? 0 : later, where);
}

VectorClock WorkgroupClocks::of_workgroup(int wave, const Completion& mine) const {
  VectorClock clock = known_[wave];
  clock.raise(wave, mine);
  return clock;
}

SharedKnowledge WorkgroupClocks::as_knowledge(const VectorClock& of_workgroup) const {
  auto knowledge = std::make_shared<WorkgroupKnowledge>();
  knowledge->join(workgroup_, of_workgroup);
  return knowledge;
}

SharedKnowledge WorkgroupClocks::released_by(int wave, const Completion& mine, uint32_t atomic) const {
  auto all = foreign_[wave] ? std::make_shared<WorkgroupKnowledge>(*foreign_[wave])
                            : std::make_shared<WorkgroupKnowledge>();
  VectorClock workgroup = of_workgroup(wave, mine);
  workgroup.atomics[wave] = std::max(workgroup.atomics[wave], atomic);
  all->join(workgroup_, workgroup);
  return all;
}

void WorkgroupClocks::learn(int wave, const Known& known) {
  known_[wave].join(known.clock);
  foreign_[wave] = joined(foreign_[wave], known.foreign);
}

void WorkgroupClocks::learn(int wave, const SharedKnowledge& knowledge) {
  if (!knowledge) return;
  foreign_[wave] = joined(foreign_[wave], knowledge);
  if (const VectorClock* workgroup = knowledge->find(workgroup_)) known_[wave].join(*workgroup);
}

} // namespace fmha950::observe
