#include "emulator/observe/order/visibility.hpp"

#include "emulator/program/row.hpp"

#include <algorithm>

namespace fmha950::observe {
namespace {

bool includes(const SharedKnowledge& knowledge, AccessTag access) {
  const VectorClock* clock = knowledge ? knowledge->find(access.workgroup()) : nullptr;
  const Operation by = access.operation();
  return clock && by.clock <= clock->of(by.wave, by.queue);
}

// An atomic reads and writes in one go, where all chiplets see it; a store with a scope is an ordinary one.
bool is_atomic(const isa::Instruction& store) {
  return isa::memory_of(store).kind == isa::MemoryKind::atomic;
}

void add(std::string& missing, const char* what) {
  if (!missing.empty()) missing += ", and ";
  missing += what;
}

} // namespace

// Stores that its wave has issued are on their way before it, in order.
void Visibility::write_back(int wave, const Completion& mine) {
  Completion issued = mine;
  issued.vm.complete = issued.vm.issued;
  waves_[wave].pending.push_back({mine.vm.issued, clocks_.of_workgroup(wave, issued)});
}

// A write-back counts in vmcnt itself: up to `vmcnt` operations after it may be in flight when it is done.
void Visibility::waited(int wave, const Completion& mine, uint32_t vmcnt) {
  Wave& of = waves_[wave];
  std::erase_if(of.pending, [&](const WriteBack& done) {
    if (vmcnt > mine.vm.issued - done.issued) return false;
    of.written_back = joined(of.written_back, clocks_.as_knowledge(done.stored));
    return true;
  });
}

void Visibility::invalidate(int wave) {
  waves_[wave].seen = joined(waves_[wave].seen, clocks_.foreign(wave));
  ++waves_[wave].invalidations;
}

void Visibility::invalidate_scalar(int wave, const Completion& mine) {
  waves_[wave].seen_scalar = joined(waves_[wave].seen_scalar, clocks_.released_by(wave, mine, 0));
}

void Visibility::learn(int wave, const SharedKnowledge& in_memory) {
  waves_[wave].learned = joined(waves_[wave].learned, in_memory);
}

// The workgroup shares its caches: what one wave did about them, it did for all that come behind it.
void Visibility::released() {
  SharedKnowledge learned, written_back, seen, seen_scalar;
  const auto each_arrived = [&](auto visit) {
    for (size_t w = 0; w < waves_.size(); ++w)
      if (arrived_ >> w & 1) visit(waves_[w]);
  };
  each_arrived([&](const Wave& wave) {
    learned = joined(learned, wave.learned);
    written_back = joined(written_back, wave.written_back);
    seen = joined(seen, wave.seen);
    seen_scalar = joined(seen_scalar, wave.seen_scalar);
  });
  each_arrived([&](Wave& wave) {
    wave.learned = learned;
    wave.written_back = written_back;
    wave.seen = seen;
    wave.seen_scalar = seen_scalar;
  });
  arrived_ = 0;
}

std::string Visibility::missing_behind_order(const Load& load, AccessTag earlier,
                                             const isa::Instruction* store) const {
  const Wave& wave = waves_[load.wave];
  std::string missing;
  if (store && !store->sc1 && !is_atomic(*store) && !includes(wave.learned, earlier))
    add(missing, "buffer_wbl2 sc1 and s_waitcnt vmcnt(0) before the flag is set");
  if (!load.past_caches && !includes(wave.seen, earlier))
    add(missing, "buffer_inv sc1 after the flag is seen");
  if (load.scalar && !includes(wave.seen_scalar, earlier))
    add(missing, "s_dcache_inv after the flag is seen");
  return missing;
}

std::string Visibility::missing_in_workgroup(int wave, AccessTag earlier) const {
  return includes(waves_[wave].seen_scalar, earlier) ? "" : "s_dcache_inv once the store is complete";
}

// A poll may see an old value as long as it looks again, past the caches, before it gives up.
std::string Visibility::missing_of_flag(const Load& load, AccessTag earlier, const isa::Instruction* store) {
  Wave& wave = waves_[load.wave];
  std::string missing;
  if (store && !store->sc1 && !is_atomic(*store) && !includes(wave.learned, earlier))
    add(missing, "sc1 at the store of the flag");
  if (load.past_caches || includes(wave.seen, earlier)) return missing;
  const auto poll = std::ranges::find(wave.polls, load.instruction, &Poll::instruction);
  const bool first = poll == wave.polls.end();
  if (first && load.polls)
    wave.polls.push_back({load.instruction, wave.invalidations});
  else if (first || poll->invalidations == wave.invalidations)
    add(missing, "sc1 at the load of the flag, or buffer_inv sc1 each time before it");
  else
    poll->invalidations = wave.invalidations;
  return missing;
}

} // namespace fmha950::observe
