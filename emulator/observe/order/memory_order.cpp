#include "emulator/observe/order/memory_order.hpp"

#include "emulator/machine/launch.hpp"
#include "emulator/machine/workgroup.hpp"

#include <cstring>
#include <fmt/format.h>

namespace fmha950::observe {
namespace {

using machine::Queue;

constexpr uint64_t dword_of(uint64_t address) { return address & ~uint64_t{3}; }

bool has_scope(const MemoryEvent& event) {
  const isa::Instruction& in = *event.access.instruction;
  return event.queue == Queue::vm && (in.sc0 || in.sc1) && event.operation.bytes <= 8;
}

// sc0 of a VMEM atomic is what asks for the old value, and glc of SMEM's.
bool returns_value(const MemoryEvent& event) {
  const isa::Instruction& in = *event.access.instruction;
  return event.queue == Queue::vm ? in.sc0 : in.words[0] >> 16 & 1;
}

} // namespace

void MemoryOrder::start(const machine::Workgroup& workgroup) {
  kernel_ = workgroup.launch ? workgroup.launch->kernel : nullptr;
  workgroup_ = workgroup.linear_id;
  for (auto& acquires : acquires_) acquires.clear();
  if (launch_ != shadow_.launch()) numbers_ = {};
  launch_ = shadow_.launch();
  if (workgroup_ > workgroup_mask)
    note(nullptr, nullptr,
         fmt::format(
             "of a launch of more than {} workgroups, those that far apart are taken for one: conflicts "
             "between them are not seen",
             workgroup_mask + 1));
}

void MemoryOrder::memory(const MemoryEvent& event, const Completion& completion) {
  acquire(event.wave.index, completion);
  if (event.queue == Queue::ds || !event.operation.is_memory()) return;
  const Use use = use_of(event.operation);
  const bool atomic = use == Use::atomic || has_scope(event);
  const AccessTag tag =
      AccessTag::make(workgroup_, event.wave.index, event.queue == Queue::smem, atomic && use != Use::read,
                      number_of(event.access.instruction), event.clock);
  if (event.clock == AccessTag::last_clock) [[unlikely]]
    note(&event.wave, event.access.instruction,
         fmt::format("a wave's memory operations from number {} on are taken for complete once that one is: "
                     "missing waits behind it are not seen",
                     AccessTag::last_clock));
  Current now{event, completion, use, atomic, tag};
  if (!touch_rows(now)) {
    collect(now);
    switch (use) {
    case Use::read: touch<Use::read>(now); break;
    case Use::write: touch<Use::write>(now); break;
    case Use::atomic: touch<Use::atomic>(now); break;
    }
  }
  if (atomic || !seen_atomics_.empty()) [[unlikely]]
    synchronise(now);
  for (const Found& hazard : found_)
    if (!machine::AddressSpace::device().is_coherent(hazard.begin)) report(now, hazard);
  found_.clear();
}

bool MemoryOrder::is_plain_store(const Current& now) const {
  return now.use == Use::write && !now.atomic && now.event.queue == Queue::vm;
}

[[gnu::always_inline]] inline bool MemoryOrder::lock(Current& now, uint64_t address) {
  const uint64_t number = address >> MemoryBlock::address_bits;
  if (now.block && number == now.block_number) return false;
  unlock(now);
  now.block = &shadow_.block(address);
  now.block_number = number;
  now.block->lock();
  return true;
}

[[gnu::always_inline]] inline void MemoryOrder::unlock(Current& now) {
  if (now.block) now.block->unlock();
  now.block = nullptr;
}

template <Use use> void MemoryOrder::touch(Current& now) {
  const auto prefetch = [&](const Range& first) { // what of the block comes next
    for (const Range* range = &first; range != ranges_.end(); ++range) {
      if (range->begin >> MemoryBlock::address_bits != now.block_number) return;
      now.block->prefetch(range->begin, range->bytes);
    }
  };
  for (const Range& range : ranges_) {
    if (lock(now, range.begin)) prefetch(range);
    const MemoryBlock::Span span = now.block->span(shadow_.launch(), range.begin, range.bytes);
    const uint32_t width = range.lanes > 1 ? now.event.operation.bytes : range.bytes;
    int lane = range.lane;
    uint32_t end_of_lane = width;
    for (uint32_t i = 0; i < span.count; ++i) {
      const uint32_t offset = i << span.shift;
      for (; offset >= end_of_lane; end_of_lane += width) ++lane;
      const AccessTag tag = now.tag.at_lane(lane);
      touch<use>(now, span.first[i], tag, range.begin + offset, 1u << span.shift);
    }
  }
  for (const Range& range : stores_) {
    lock(now, range.begin);
    const auto data = stored_bytes(now.event.operation, now.event.access, range.lane);
    std::memcpy(now.block->stored(range.begin), &data[range.offset], range.bytes);
  }
  unlock(now);
}

bool MemoryOrder::stores_what_is_there(const Current& now, uint64_t begin, uint32_t bytes) const {
  if (!is_plain_store(now)) return false;
  for (const Range& range : stores_) {
    const uint64_t from = std::max(begin, range.begin),
                   to = std::min(begin + bytes, range.begin + range.bytes);
    if (from >= to) continue;
    const auto data = stored_bytes(now.event.operation, now.event.access, range.lane);
    if (std::memcmp(&data[range.offset + (from - range.begin)], now.block->stored(from), to - from) != 0)
      return false;
  }
  return true;
}

template <Use use>
[[gnu::always_inline]] inline void MemoryOrder::touch(Current& now, MemoryCell& cell, AccessTag tag,
                                                      uint64_t begin, uint32_t bytes) {
  if (cell.write && !ordered(now, cell.write)) [[unlikely]]
    found(cell.write, Use::write, stores_what_is_there(now, begin, bytes), tag.lane(), begin, bytes);
  else if (use == Use::read && cell.write && (tag.scalar() || !cell.write.same_workgroup(tag))) [[unlikely]]
    see(now, cell.write, tag.lane(), begin, bytes);
  if constexpr (use == Use::read) {
    if (cell.atomic) [[unlikely]] {
      seen_atomics_.push_back(dword_of(begin));
      see_flag(now, cell.atomic, tag.lane(), begin, bytes);
    }
    return remember_as_before(now, cell.other, tag);
  }
  if (now.atomic) {
    if (cell.atomic && !cell.atomic.same_actor(tag) && !ordered(now, cell.atomic))
      remember(now, cell.other, cell.atomic);
    cell.atomic = tag;
    return;
  }
  for (const AccessTag earlier : {cell.atomic, cell.other[0], cell.other[1]})
    if (earlier && !ordered(now, earlier)) [[unlikely]]
      found(earlier, earlier.atomic() ? Use::atomic : Use::read, false, tag.lane(), begin, bytes);
  cell = {};
  cell.write = tag;
}

void MemoryOrder::remember(Current& now, MemoryCell::Others& others, AccessTag tag) const {
  auto& [first, second] = others;
  // Whoever is ordered after the access at hand is ordered after these, too.
  for (AccessTag& other : others)
    if (other && (other.same_actor(tag) || ordered(now, other))) other = {};
  if (!first)
    first = tag;
  else if (!second || second.same_workgroup(tag) || second.same_workgroup(first))
    second = tag;
  else if (first.same_workgroup(tag))
    first = tag;
  // Else two other workgroups are remembered: whoever stores there conflicts with one of them already.
}

[[gnu::always_inline]] inline void MemoryOrder::remember_as_before(Current& now, MemoryCell::Others& other,
                                                                   AccessTag tag) const {
  Remembered& last = now.remembered;
  if (other[0].any_lane().bits == last.before[0] && other[1].any_lane().bits == last.before[1]) [[likely]] {
    if (last.changes)
      for (int i = 0; i < 2; ++i) other[i].bits = (other[i].bits & last.keep[i]) | (tag.bits & last.put[i]);
    return;
  }
  const MemoryCell::Others before = other;
  remember(now, other, tag);
  last.changes = false;
  for (int i = 0; i < 2; ++i) {
    last.before[i] = before[i].any_lane().bits;
    last.put[i] = other[i] == tag ? ~uint64_t{0} : 0;
    last.keep[i] = !last.put[i] && other[i] == before[i] ? ~uint64_t{0} : 0;
    last.changes |= last.keep[i] == 0;
  }
}

// A load of whole rows, each by eight lanes that follow each other but for a swizzle. False: go cell by cell; rows that
// were touched are touched again then, which changes nothing.
bool MemoryOrder::touch_rows(Current& now) {
  const machine::Access& access = now.event.access;
  if (now.use != Use::read || now.atomic || now.event.queue != Queue::vm || now.event.operation.bytes != 16 ||
      ~access.valid || access.irregular || access.swizzled)
    return false;
  constexpr int lanes = MemoryBlock::cells_of_row;
  uint64_t strays = 0;
  for (int first = 0; first < 64; first += lanes) {
    strays |= access.address[first] % 16;
    for (int l = 0; l < lanes; ++l)
      strays |= access.address[first + l] ^ access.address[first] ^ 16 * static_cast<uint64_t>(l);
  }
  if (strays) return false;
  for (int first = 0; first < 64; first += lanes) {
    const uint64_t address = access.address[first];
    lock(now, address);
    MemoryCell::Others* row = now.block->row(shadow_.launch(), address);
    if (!row) break;
    remember_as_before(now, *row, now.tag.at_lane(first + static_cast<int>(address / 16 % lanes)));
    if (first + lanes == 64) {
      unlock(now);
      return true;
    }
  }
  unlock(now);
  return false;
}

bool MemoryOrder::ordered(Current& now, AccessTag earlier) const {
  if (earlier.any_lane() == now.known) return true;
  const int wave = now.event.wave.index;
  const Operation by = earlier.operation();
  const auto within = [&](const VectorClock& clock) {
    return by.clock <= clock.of(by.wave, by.queue) ||
           (earlier.atomic() && by.queue == Queue::vm && by.clock <= clock.atomics[by.wave]);
  };
  bool is = false;
  if (!earlier.same_workgroup(now.tag)) {
    const VectorClock* clock = clocks_.known_of(wave, earlier.workgroup());
    is = clock && within(*clock);
  } else if (earlier.same_actor(now.tag) && by.queue == Queue::vm) {
    is = true;
  } else {
    is = clocks_.knows(wave, now.completion, by) || (by.wave != wave && within(clocks_.known(wave)));
  }
  if (is) now.known = earlier.any_lane();
  return is;
}

void MemoryOrder::synchronise(const Current& now) {
  const int wave = now.event.wave.index;
  const MemoryEvent& event = now.event;
  if (now.atomic) {
    seen_atomics_.clear();
    for (const Range& range : ranges_)
      if (seen_atomics_.empty() || seen_atomics_.back() != dword_of(range.begin))
        seen_atomics_.push_back(dword_of(range.begin));
    if (now.use != Use::read)
      shadow_.release(seen_atomics_,
                      {clocks_.released_by(wave, now.completion, event.queue == Queue::vm ? event.clock : 0),
                       visibility_.in_memory(wave)});
  }
  if (now.use == Use::read || (now.use == Use::atomic && returns_value(event)))
    acquires_[wave].push_back({now.tag.operation(), seen_atomics_});
  seen_atomics_.clear();
}

void MemoryOrder::acquire(int wave, const Completion& completion) {
  std::vector<Acquire>& waiting = acquires_[wave];
  if (waiting.empty()) [[likely]]
    return;
  std::erase_if(waiting, [&](const Acquire& acquire) {
    if (acquire.by.clock > completion.of(acquire.by.queue).complete) return false;
    for (uint64_t address : acquire.addresses) {
      const MemoryShadow::Released released = shadow_.released_at(address);
      clocks_.learn(wave, released.known);
      visibility_.learn(wave, released.in_memory);
    }
    return true;
  });
}

uint32_t MemoryOrder::number_of(const isa::Instruction* instruction) {
  Numbered& entry =
      numbers_[reinterpret_cast<uintptr_t>(instruction) / alignof(isa::Instruction) % numbers_.size()];
  if (entry.instruction != instruction) [[unlikely]]
    entry = {instruction, shadow_.number_of(instruction)};
  return entry.number;
}

} // namespace fmha950::observe
