#include "emulator/machine/memory_queue.hpp"

#include "emulator/machine/workgroup.hpp"

#include <array>
#include <new>
#include <utility>

namespace fmha950::machine {

void MemoryQueues::reset(const Schedule& schedule, uint64_t seed) {
  schedule_ = schedule;
  random_ = Random(seed ^ schedule.memory_seed * 0x9E3779B97F4A7C15ull);
  if (schedule.memory == MemoryOrder::pct)
    draw_priorities();
  else
    draw_paces();
  issued_ = 0;
  vmcnt_ = lgkmcnt_ = 0;
  for (Entries* entries : {&vm_, &ds_, &smem_}) {
    for (Entry& entry : *entries) free_.push_back(std::move(entry.access));
    entries->clear();
  }
}

Access& MemoryQueues::allocate() {
  if (!handed_out_) {
    if (free_.empty()) {
      handed_out_ = std::make_unique<Access>();
    } else {
      handed_out_ = std::move(free_.back());
      free_.pop_back();
    }
  }
  return *new (handed_out_.get()) Access();
}

void MemoryQueues::issue(Wave& wave, Access&, Queue queue, int count) {
  if (schedule_.memory == MemoryOrder::timed)
    return wave.workgroup->pacer->issued(wave, std::move(handed_out_), queue);
  Entry entry;
  entry.access = std::move(handed_out_);
  entry.number = issued_++;
  entry.count = count;
  entry.queue = queue;
  if (queue == Queue::vm) {
    wait_vmcnt(wave, vmcnt_max - count);
    vmcnt_ += count;
    vm_.push_back(std::move(entry));
  } else {
    wait_lgkmcnt(wave, lgkmcnt_max - count);
    lgkmcnt_ += count;
    (queue == Queue::ds ? ds_ : smem_).push_back(std::move(entry));
  }
  if (eager()) drain(wave);
}

void MemoryQueues::take_effect(Wave& wave, Entry& entry) {
  if (entry.effected) return;
  entry.effected = true;
  Access& access = *entry.access;
  if (OldValues* const old_values = wave.workgroup->old_values; old_values && entry.queue != Queue::ds)
    old_values->take_effect(wave, access, random_);
  else if (access.effect)
    access.effect(wave, access);
}

// Every older operation of an in-order queue has taken effect: deliveries are in order too.
void MemoryQueues::deliver(Wave& wave, Entries& entries, size_t index, int& counter) {
  Entry entry = std::move(entries[index]);
  entries.erase(entries.begin() + static_cast<std::ptrdiff_t>(index));
  counter -= entry.count;
  take_effect(wave, entry);
  entry.access->lanes &= ~entry.landed;
  if (entry.access->deliver) entry.access->deliver(wave, *entry.access);
  free_.push_back(std::move(entry.access));
}

// About a quarter of the lanes, so that a delivery may come in several pieces.
void MemoryQueues::land_piece(Wave& wave, Entry& entry) {
  Access& access = *entry.access;
  const uint64_t all = access.lanes;
  const uint64_t piece = all & ~entry.landed & random_.next() & random_.next();
  if (!piece || !access.deliver) return;
  take_effect(wave, entry);
  access.lanes = piece;
  access.deliver(wave, access);
  access.lanes = all;
  entry.landed |= piece;
}

void MemoryQueues::force_vm(Wave& wave, int limit) {
  while (vmcnt_ > limit) deliver(wave, vm_, 0, vmcnt_);
}

// Completes what a program that counts on issue order would not expect: among the oldest DS operation and all SMEM
// ones the youngest (random: any). Their order among each other is open (machine_gfx950.md section 1.1).
void MemoryQueues::force_lgkm(Wave& wave, int limit) {
  const bool random = stepped_order(schedule_.memory);
  while (lgkmcnt_ > limit) {
    const size_t scalar = smem_.empty() ? 0
                          : random      ? random_.below(static_cast<uint32_t>(smem_.size()))
                                        : smem_.size() - 1;
    bool take_scalar = ds_.empty();
    if (!ds_.empty() && !smem_.empty())
      take_scalar = random ? random_.below(2) == 0 : smem_[scalar].number > ds_.front().number;
    deliver(wave, take_scalar ? smem_ : ds_, take_scalar ? scalar : 0, lgkmcnt_);
  }
}

void MemoryQueues::step(Wave& wave, Entries& entries, bool in_order, Pace pace, int& counter) {
  if (entries.empty()) return;
  const auto pick = [&] { return in_order ? 0 : random_.below(static_cast<uint32_t>(entries.size())); };
  if (comes(pace.effect)) {
    size_t next = pick();
    while (in_order && next < entries.size() && entries[next].effected) ++next;
    if (next < entries.size()) take_effect(wave, entries[next]);
  }
  if (comes(pace.piece)) land_piece(wave, entries[pick()]);
  if (comes(pace.delivery)) deliver(wave, entries, pick(), counter);
}

// Each queue and moment has a pace of its own: a fast one beside a slow one shows what a missing wait lets
// through, for instance LDS DMA that overtakes the reads of the tile it overwrites.
void MemoryQueues::draw_paces() {
  for (Pace* pace : {&vm_pace_, &ds_pace_, &smem_pace_})
    *pace = {1u << random_.below(8), 1u << random_.below(8), 1u << random_.below(8)};
}

// pct: the actors are each queue's effects, pieces and deliveries. One with a higher priority than the wave's
// own progress acts promptly, after every instruction; one with a lower priority only when forced.
void MemoryQueues::draw_priorities() {
  changes_.restart(Random(random_.next()));
  for (Pace* pace : {&vm_pace_, &ds_pace_, &smem_pace_})
    *pace = {random_.below(2) ? prompt : never, random_.below(2) ? prompt : never,
             random_.below(2) ? prompt : never};
}
void MemoryQueues::change_priority() {
  Pace& pace = *std::array{&vm_pace_, &ds_pace_, &smem_pace_}[random_.below(3)];
  uint32_t& moment = *std::array{&pace.effect, &pace.delivery, &pace.piece}[random_.below(3)];
  moment = moment == prompt ? never : prompt;
}

void MemoryQueues::step(Wave& wave) {
  if (schedule_.memory == MemoryOrder::pct) {
    if (changes_.advance()) change_priority();
  } else if (random_.below(32) == 0) { // now and then, so that one run sees both short and long flights
    draw_paces();
  }
  step(wave, vm_, true, vm_pace_, vmcnt_);
  step(wave, ds_, true, ds_pace_, lgkmcnt_);
  step(wave, smem_, false, smem_pace_, lgkmcnt_);
}

} // namespace fmha950::machine
