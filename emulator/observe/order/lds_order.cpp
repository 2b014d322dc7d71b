#include "emulator/observe/order/lds_order.hpp"

#include "emulator/machine/launch.hpp"
#include "emulator/machine/workgroup.hpp"

#include <cstring>

namespace fmha950::observe {

using machine::Queue;

namespace {

std::array<uint8_t, 16> written_bytes(const MemoryEvent& event, int lane) {
  return event.queue == Queue::ds ? stored_bytes(event.operation, event.access, lane)
                                  : brought_bytes(event.operation, event.access, lane);
}

} // namespace

template <class Visit> void LdsOrder::for_each_column(Visit visit) {
  visit(last_write_);
  for (Columns* columns : {&reads_, &atomics_, &polling_atomics_})
    for (LdsColumn& column : columns->of) visit(column);
}

void LdsOrder::start(const machine::Workgroup& workgroup) {
  kernel_ = workgroup.launch ? workgroup.launch->kernel : nullptr;
  workgroup_ = workgroup.linear_id;
  waves_ = workgroup.waves.size();
  lds_bytes_ = workgroup.lds_bytes;
  base_ += latest_clock_;
  latest_clock_ = 0;
  for_each_column([](LdsColumn& column) { column.drop_waiting(); });
  footprints_.start(lds_bytes_);
  if (base_ > last_epoch_number / 2 || next_write_ > last_epoch_number / 2) forget();
  ordered_write_ = next_write_ - 1;
  writes_.clear(next_write_);
  latest_store_ = {};
  for (auto& log : ds_log_) log.clear(0);
  for (Columns* columns : {&reads_, &atomics_, &polling_atomics_}) {
    columns->latest = {};
    columns->any = false;
  }
  for (auto& acquires : acquires_) acquires.clear();
  for (auto& learned : learned_) learned.clear();
  released_.clear();
  unchecked_ = false;
  resize();
}

void LdsOrder::forget() {
  for_each_column([](LdsColumn& column) { column.clear(); });
  base_ = 0;
  next_write_ = 1;
}

void LdsOrder::forget_footprints() {
  for_each_column([](LdsColumn& column) { column.settle(); });
  footprints_.clear();
}

void LdsOrder::resize() {
  last_write_.resize(lds_bytes_);
  stored_.resize(lds_bytes_);
  for (size_t w = 0; w < waves_; ++w) reads_.of[w].resize(lds_bytes_);
}

void LdsOrder::split() {
  cell_shift_ = 0;
  for_each_column([](LdsColumn& column) { column.split(); });
}

template <class Visit> void LdsOrder::for_each_cell(const Current& now, Visit visit) const {
  for (const LdsFootprint::Range& range : now.touched.ranges)
    for (uint32_t at = range.begin; at < range.begin + range.bytes; at += 1u << cell_shift_)
      visit(range, at >> cell_shift_);
}

void LdsOrder::memory(const MemoryEvent& event, const Completion& completion) {
  if (!event.touches_lds()) {
    if (event.queue == Queue::vm && event.operation.is_memory() && use_of(event.operation) != Use::read)
      latest_store_[event.wave.index] = event.clock;
    return;
  }
  if (next_write_ > last_epoch_number || base_ + event.clock > last_epoch_number) [[unlikely]]
    return report_unchecked(event);
  if (footprints_.full()) [[unlikely]]
    forget_footprints();
  const LdsFootprint& touched = footprints_.find(event); // one that columns may keep
  event.lds = &touched;
  if (touched.empty()) return;
  if (cell_shift_ && !touched.in_dwords) [[unlikely]]
    split();
  const bool dma = event.queue == Queue::vm;
  const Use use = dma ? Use::write : use_of(event.operation);
  const Current now{event, completion, use, touched, !dma || knows_what_comes(event, completion)};
  waited(event.wave.index, completion);
  const bool polls = event.operation.polls;
  check_last_write(now);
  if (use != Use::read) check_columns(now, reads_, Use::read);
  if (use != Use::atomic && !polls) check_columns(now, atomics_, Use::atomic);
  if (dma || (use == Use::read && !polls)) check_columns(now, polling_atomics_, Use::atomic);
  record(now);
  if (polls || use == Use::atomic) [[unlikely]]
    synchronise(now);
  for (const Found& hazard : found_) report(now, hazard);
  found_.clear();
}

void LdsOrder::check_last_write(const Current& now) {
  const int wave = now.event.wave.index;
  const auto conflicts = [&](uint32_t number) {
    const Write& write = writes_[number];
    if (now.event.operation.polls && write.by.queue == Queue::ds) return false; // a flag
    const bool same_actor = write.by.wave == wave && write.by.queue == now.event.queue;
    return !same_actor && !clocks_.knows(wave, now.completion, write.by);
  };
  if (!last_write_.any_after(now.touched, ordered_write_, conflicts)) [[likely]]
    return;
  uint32_t harmless = ordered_write_; // besides those up to ordered_write_: the one looked up last
  for_each_cell(now, [&](const LdsFootprint::Range& range, uint32_t cell) {
    const Epoch epoch = last_write_[cell];
    const uint32_t number = number_of(epoch);
    if (number <= ordered_write_ || number == harmless) return;
    if (!conflicts(number)) {
      harmless = number;
      return;
    }
    const Write& write = writes_[number];
    found({Use::write, write.is_known && writes_what_is_there(now, range, cell), write.by, write.instruction},
          epoch, cell, range.lane);
  });
}

bool LdsOrder::writes_what_is_there(const Current& now, const LdsFootprint::Range& range,
                                    uint32_t cell) const {
  if (now.use != Use::write || !now.is_known) return false;
  const auto data = written_bytes(now.event, range.lane);
  const uint32_t at = cell << cell_shift_;
  return std::memcmp(&stored_[at], &data[range.offset + at - range.begin], size_t{1} << cell_shift_) == 0;
}

bool LdsOrder::knows_what_comes(const MemoryEvent& event, const Completion& completion) const {
  constexpr uint8_t dword = 4;
  return event.operation.bytes >= dword && latest_store_[event.wave.index] <= completion.vm.complete;
}

void LdsOrder::check_columns(const Current& now, Columns& columns, Use use) {
  if (!columns.any) return;
  const int wave = now.event.wave.index;
  for (size_t w = 0; w < waves_; ++w) {
    const auto by = static_cast<uint8_t>(w);
    if (static_cast<int>(w) == wave && now.event.queue == Queue::ds) continue; // in issue order
    if (clocks_.knows(wave, now.completion, {columns.latest[w], by, Queue::ds})) continue;
    const uint32_t complete =
        static_cast<int>(w) == wave ? now.completion.ds.complete : clocks_.known(wave).of(by, Queue::ds);
    const uint32_t limit = base_ + complete;
    LdsColumn& column = columns.of[w];
    if (!column.any_after(now.touched, limit, [](uint32_t) { return true; })) [[likely]]
      continue;
    for_each_cell(now, [&](const LdsFootprint::Range& range, uint32_t cell) {
      const Epoch epoch = column[cell];
      if (number_of(epoch) <= limit) return;
      const uint32_t clock = number_of(epoch) - base_;
      found({use, false, {clock, by, Queue::ds}, ds_log_[w][clock]}, epoch, cell, range.lane);
    });
  }
}

void LdsOrder::record(const Current& now) {
  const MemoryEvent& event = now.event;
  if (event.queue == Queue::ds) {
    latest_clock_ = std::max(latest_clock_, event.clock);
    ds_log_[event.wave.index].put(event.clock, event.access.instruction);
  }
  const bool polls = event.operation.polls;
  if (now.use == Use::read) {
    if (!polls) record(reads_, now); // a flag may be written while it is polled
    return;
  }
  if (now.use == Use::atomic) {
    Columns& columns = polls ? polling_atomics_ : atomics_;
    columns.of[event.wave.index].resize(lds_bytes_);
    return record(columns, now);
  }
  const Operation by{event.clock, static_cast<uint8_t>(event.wave.index), event.queue};
  writes_.put(next_write_, {by, event.access.instruction, now.completion.vm.complete,
                            now.completion.smem.complete, now.is_known});
  last_write_.put(now.touched, next_write_++);
  if (!now.is_known) return;
  for (const LdsFootprint::Range& range : now.touched.ranges) {
    const auto data = written_bytes(event, range.lane);
    std::memcpy(&stored_[range.begin], &data[range.offset], range.bytes);
  }
}

void LdsOrder::record(Columns& columns, const Current& now) {
  const MemoryEvent& event = now.event;
  columns.any = true;
  columns.latest[event.wave.index] = event.clock;
  columns.of[event.wave.index].put(now.touched, base_ + event.clock);
}

void LdsOrder::released() {
  for (auto& learned : learned_) learned.clear(); // all know it now
  const VectorClock& known = clocks_.known_to_all();
  for (; ordered_write_ + 1 < next_write_; ++ordered_write_) {
    const Operation& by = writes_[ordered_write_ + 1].by;
    if (by.clock > known.of(by.wave, by.queue)) break;
  }
  writes_.drop_before(ordered_write_ + 1);
  last_write_.drop_up_to(ordered_write_);
  for (size_t w = 0; w < waves_; ++w) {
    const uint32_t clock = known.of(static_cast<int>(w), Queue::ds);
    ds_log_[w].drop_before(clock + 1);
    for (Columns* columns : {&reads_, &atomics_, &polling_atomics_}) columns->of[w].drop_up_to(base_ + clock);
  }
}

} // namespace fmha950::observe
