#include "emulator/observe/order/lds_order.hpp"

#include "emulator/machine/launch.hpp"
#include "emulator/machine/workgroup.hpp"

#include <cstring>

namespace fmha950::observe {

using machine::Queue;

void LdsOrder::start(const machine::Workgroup& workgroup) {
  kernel_ = workgroup.launch ? workgroup.launch->kernel : nullptr;
  workgroup_ = workgroup.linear_id;
  waves_ = workgroup.waves.size();
  lds_bytes_ = workgroup.lds_bytes;
  base_ += latest_clock_;
  latest_clock_ = 0;
  if (base_ > last_epoch_number / 2 || next_write_ > last_epoch_number / 2) forget();
  ordered_write_ = next_write_ - 1;
  writes_.clear(next_write_);
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
  last_write_.clear();
  for (Columns* columns : {&reads_, &atomics_, &polling_atomics_})
    for (LdsColumn& column : columns->of) column.clear();
  base_ = 0;
  next_write_ = 1;
}

void LdsOrder::resize() {
  const size_t cells = (lds_bytes_ + 3) >> cell_shift_;
  last_write_.resize(cells);
  stored_.resize(lds_bytes_);
  for (size_t w = 0; w < waves_; ++w) reads_.of[w].resize(cells);
}

void LdsOrder::split() {
  constexpr int bytes_per_dword = 4;
  cell_shift_ = 0;
  last_write_.split(bytes_per_dword);
  for (Columns* columns : {&reads_, &atomics_, &polling_atomics_})
    for (LdsColumn& column : columns->of) column.split(bytes_per_dword);
}

bool LdsOrder::collect(const MemoryEvent& event) {
  // In registers while the lanes are gone through.
  Range* range = ranges_.data();
  Span *next_span = spans_.data(), *span = nullptr;
  uint32_t bits = 0, end = ~0u;
  const int shift = cell_shift_;
  const auto add = [&](int lane, uint32_t begin, uint32_t bytes) __attribute__((always_inline)) {
    bits |= begin | bytes;
    const uint32_t cell = begin >> shift, count = bytes >> shift;
    *range++ = {cell, static_cast<uint16_t>(count), static_cast<int8_t>(lane), 0};
    if (cell != end) {
      span = next_span++;
      span->begin = cell;
    }
    end = cell + count;
    span->end = end;
  };
  if (event.queue == Queue::ds)
    for_each_range(event.operation, event.access, event.queue, lds_bytes_, add);
  else
    for_each_lds_dma_range(event.operation, event.access, lds_bytes_, add);
  if (event.operation.elements == 2) { // one element after the other, each over all lanes
    uint64_t seen = 0;
    for (Range* r = ranges_.data(); r != range; ++r) {
      const uint64_t bit = uint64_t{1} << r->lane;
      if (seen & bit) r->offset = event.operation.bytes;
      seen |= bit;
    }
  }
  ranges_.resize(static_cast<size_t>(range - ranges_.data()));
  spans_.resize(static_cast<size_t>(next_span - spans_.data()));
  return !cell_shift_ || !(bits & 3);
}

void LdsOrder::memory(const MemoryEvent& event, const Completion& completion) {
  const bool dma = event.operation.lds_dma && event.queue == Queue::vm;
  if (!dma && (event.queue != Queue::ds || !event.operation.is_memory())) return;
  if (next_write_ > last_epoch_number || base_ + event.clock > last_epoch_number) [[unlikely]]
    return report_unchecked(event);
  if (!collect(event)) {
    split();
    collect(event);
  }
  if (ranges_.empty()) return;
  const Use use = dma ? Use::write : use_of(event.operation);
  const Current now{event, completion, use};
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
  const Epoch ordered = latest_epoch(ordered_write_);
  bool any = false;
  for (const Span& span : spans_) any |= last_write_.any_after(span.begin, span.end - span.begin, ordered);
  if (!any) [[likely]]
    return;
  uint32_t known = ordered_write_; // besides those up to ordered_write_: the one looked up last
  const int wave = now.event.wave.index;
  for (const Range& range : ranges_)
    for (uint32_t cell = range.begin; cell < range.begin + range.count; ++cell) {
      const Epoch epoch = last_write_[cell];
      if (epoch <= ordered || number_of(epoch) == known) continue;
      const Write& write = writes_[number_of(epoch)];
      const bool same_actor = write.by.wave == wave && write.by.queue == now.event.queue;
      if (now.event.operation.polls && write.by.queue == Queue::ds) continue; // a flag
      if (same_actor || clocks_.knows(wave, now.completion, write.by))
        known = number_of(epoch);
      else
        found({Use::write, write.by.queue == Queue::ds && writes_what_is_there(now, range, cell), write.by,
               write.instruction},
              epoch, cell, range.lane);
    }
}

bool LdsOrder::writes_what_is_there(const Current& now, const Range& range, uint32_t cell) const {
  if (now.use != Use::write || now.event.queue != Queue::ds) return false;
  const auto data = stored_bytes(now.event.operation, now.event.access, range.lane);
  return std::memcmp(&stored_[size_t{cell} << cell_shift_],
                     &data[range.offset + ((cell - range.begin) << cell_shift_)],
                     size_t{1} << cell_shift_) == 0;
}

void LdsOrder::check_columns(const Current& now, const Columns& columns, Use use) {
  if (!columns.any) return;
  const int wave = now.event.wave.index;
  for (size_t w = 0; w < waves_; ++w) {
    const auto by = static_cast<uint8_t>(w);
    if (static_cast<int>(w) == wave && now.event.queue == Queue::ds) continue; // in issue order
    if (clocks_.knows(wave, now.completion, {columns.latest[w], by, Queue::ds})) continue;
    const uint32_t complete =
        static_cast<int>(w) == wave ? now.completion.ds.complete : clocks_.known(wave).of(by, Queue::ds);
    const Epoch limit = latest_epoch(base_ + complete);
    const LdsColumn& column = columns.of[w];
    bool any = false;
    for (const Span& span : spans_) any |= column.any_after(span.begin, span.end - span.begin, limit);
    if (!any) [[likely]]
      continue;
    for (const Range& range : ranges_)
      for (uint32_t cell = range.begin; cell < range.begin + range.count; ++cell) {
        if (column[cell] <= limit) continue;
        const uint32_t clock = number_of(column[cell]) - base_;
        found({use, false, {clock, by, Queue::ds}, ds_log_[w][clock]}, column[cell], cell, range.lane);
      }
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
    if (!polls) record(reads_, event); // a flag may be written while it is polled
    return;
  }
  if (now.use == Use::atomic) {
    Columns& columns = polls ? polling_atomics_ : atomics_;
    columns.of[event.wave.index].resize(((lds_bytes_ + 3) >> cell_shift_));
    return record(columns, event);
  }
  const Operation by{event.clock, static_cast<uint8_t>(event.wave.index), event.queue};
  writes_.put(next_write_,
              {by, event.access.instruction, now.completion.vm.complete, now.completion.smem.complete});
  for (const Range& range : ranges_)
    last_write_.set(range.begin, range.count, epoch_of(next_write_, range.lane));
  ++next_write_;
  if (event.queue != Queue::ds) return;
  for (const Range& range : ranges_) {
    const auto data = stored_bytes(event.operation, event.access, range.lane);
    std::memcpy(&stored_[size_t{range.begin} << cell_shift_], &data[range.offset],
                size_t{range.count} << cell_shift_);
  }
}

void LdsOrder::record(Columns& columns, const MemoryEvent& event) {
  columns.any = true;
  columns.latest[event.wave.index] = event.clock;
  LdsColumn& column = columns.of[event.wave.index];
  for (const Range& range : ranges_)
    column.set(range.begin, range.count, epoch_of(base_ + event.clock, range.lane));
}

void LdsOrder::released() {
  for (auto& learned : learned_) learned.clear(); // all know it now
  const VectorClock& known = clocks_.known_to_all();
  for (; ordered_write_ + 1 < next_write_; ++ordered_write_) {
    const Operation& by = writes_[ordered_write_ + 1].by;
    if (by.clock > known.of(by.wave, by.queue)) break;
  }
  writes_.drop_before(ordered_write_ + 1);
  for (size_t w = 0; w < waves_; ++w) ds_log_[w].drop_before(known.of(static_cast<int>(w), Queue::ds) + 1);
}

} // namespace fmha950::observe
