#include "emulator/observe/order/lds_order.hpp"

#include "emulator/machine/launch.hpp"
#include "emulator/machine/workgroup.hpp"

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
  reads_.latest = atomics_.latest = {};
  reads_.any = atomics_.any = false;
  resize();
}

void LdsOrder::forget() {
  last_write_.clear();
  for (LdsColumn& column : reads_.of) column.clear();
  for (LdsColumn& column : atomics_.of) column.clear();
  base_ = 0;
  next_write_ = 1;
}

void LdsOrder::resize() {
  const size_t cells = (lds_bytes_ + 3) >> cell_shift_;
  last_write_.resize(cells);
  for (size_t w = 0; w < waves_; ++w) reads_.of[w].resize(cells);
}

void LdsOrder::split() {
  constexpr int bytes_per_dword = 4;
  cell_shift_ = 0;
  last_write_.split(bytes_per_dword);
  for (LdsColumn& column : reads_.of) column.split(bytes_per_dword);
  for (LdsColumn& column : atomics_.of) column.split(bytes_per_dword);
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
    *range++ = {cell, static_cast<uint16_t>(count), static_cast<int16_t>(lane)};
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
  ranges_.resize(static_cast<size_t>(range - ranges_.data()));
  spans_.resize(static_cast<size_t>(next_span - spans_.data()));
  return !cell_shift_ || !(bits & 3);
}

void LdsOrder::memory(const MemoryEvent& event, const Completion& completion) {
  const bool dma = event.operation.lds_dma && event.queue == Queue::vm;
  if (!dma && (event.queue != Queue::ds || !event.operation.is_memory())) return;
  if (next_write_ > last_epoch_number || base_ + event.clock > last_epoch_number)
    return; // 33 million operations of one workgroup: the rest goes unchecked
  if (!collect(event)) {
    split();
    collect(event);
  }
  if (ranges_.empty()) return;
  const Use use = dma ? Use::write : use_of(event.operation);
  const Current now{event, completion, use};
  check_last_write(now);
  if (use != Use::read) check_columns(now, reads_, Use::read);
  if (use != Use::atomic) check_columns(now, atomics_, Use::atomic);
  record(now);
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
      if (same_actor || clocks_.knows(wave, now.completion, write.by))
        known = number_of(epoch);
      else
        found({Use::write, write.by, write.instruction}, epoch, cell, range.lane);
    }
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
        found({use, {clock, by, Queue::ds}, ds_log_[w][clock]}, column[cell], cell, range.lane);
      }
  }
}

void LdsOrder::record(const Current& now) {
  const MemoryEvent& event = now.event;
  if (event.queue == Queue::ds) {
    latest_clock_ = std::max(latest_clock_, event.clock);
    ds_log_[event.wave.index].put(event.clock, event.access.instruction);
  }
  if (now.use == Use::read) return record(reads_, event);
  if (now.use == Use::atomic) {
    atomics_.of[event.wave.index].resize(((lds_bytes_ + 3) >> cell_shift_));
    return record(atomics_, event);
  }
  const Operation by{event.clock, static_cast<uint8_t>(event.wave.index), event.queue};
  writes_.put(next_write_, {by, event.access.instruction});
  for (const Range& range : ranges_)
    last_write_.set(range.begin, range.count, epoch_of(next_write_, range.lane));
  ++next_write_;
}

void LdsOrder::record(Columns& columns, const MemoryEvent& event) {
  columns.any = true;
  columns.latest[event.wave.index] = event.clock;
  LdsColumn& column = columns.of[event.wave.index];
  for (const Range& range : ranges_)
    column.set(range.begin, range.count, epoch_of(base_ + event.clock, range.lane));
}

void LdsOrder::released() {
  const VectorClock& known = clocks_.known_to_all();
  for (; ordered_write_ + 1 < next_write_; ++ordered_write_) {
    const Operation& by = writes_[ordered_write_ + 1].by;
    if (by.clock > known.of(by.wave, by.queue)) break;
  }
  writes_.drop_before(ordered_write_ + 1);
  for (size_t w = 0; w < waves_; ++w) ds_log_[w].drop_before(known.of(static_cast<int>(w), Queue::ds) + 1);
}

// One hazard per earlier operation, with the bytes that follow each other.
void LdsOrder::found(const Earlier& earlier, Epoch epoch, uint32_t cell, int lane) {
  for (Found& other : found_)
    if (other.earlier.use == earlier.use && other.earlier.by == earlier.by) {
      if (other.end == cell) ++other.end;
      return;
    }
  found_.push_back({earlier, lane_of(epoch), lane, cell, cell + 1});
}

void LdsOrder::report(const Current& now, const Found& found) {
  Hazard hazard;
  hazard.type = HazardClass::lds_order;
  hazard.kernel = kernel_;
  hazard.earlier = {found.earlier.instruction->address, workgroup_, found.earlier.by.wave,
                    found.earlier_lane};
  hazard.later = {now.event.access.instruction->address, workgroup_, now.event.wave.index, found.lane};
  hazard.begin = found.begin << cell_shift_;
  hazard.end = found.end << cell_shift_;
  hazard.what = conflict_text("LDS", found.earlier.instruction, found.earlier.use,
                              now.event.access.instruction, now.use);
  hazard.missing =
      clocks_.missing(now.event.wave.index, now.completion, found.earlier.by, found.earlier.instruction);
  sink_.report(std::move(hazard));
}

} // namespace fmha950::observe
