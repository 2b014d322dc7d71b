// Order by flags in LDS: what LdsOrder hands on with an atomic or a flag, and to whom (polling.hpp).
#include "emulator/observe/order/lds_order.hpp"

#include "emulator/machine/workgroup.hpp"

namespace fmha950::observe {

using machine::Queue;

void LdsOrder::synchronise(const Current& now) {
  const MemoryEvent& event = now.event;
  const int wave = event.wave.index;
  if (now.use == Use::atomic) {
    auto known = std::make_shared<Known>(clocks_.of(wave));
    Completion complete = now.completion;
    complete.ds.complete = event.clock;
    known->clock.raise(wave, complete);
    for (const LdsFootprint::Range& range : now.touched.ranges) {
      auto& at = released_[range.begin & ~3u];
      if (at == known) continue;
      if (at) {
        auto both = std::make_shared<Known>(*at);
        both->clock.join(known->clock);
        both->foreign = joined(both->foreign, known->foreign);
        at = std::move(both);
      } else {
        at = known;
      }
    }
  }
  if (event.operation.polls || event.operation.returns)
    acquires_[wave].push_back({event.clock, {now.touched.spans.begin(), now.touched.spans.end()}});
}

// At the time of the wait, whatever has been written and released by then: some of it may be younger than what the
// operation saw, in which case too much counts as ordered.
void LdsOrder::acquire(int wave, const Completion& completion) {
  std::vector<Acquire>& waiting = acquires_[wave];
  last_write_.settle();
  std::erase_if(waiting, [&](const Acquire& acquire) {
    if (acquire.clock > completion.ds.complete) return false;
    const auto learn = [&](const Known& known) {
      if (learned_[wave].empty() || learned_[wave].back().next_write != next_write_)
        learned_[wave].push_back({next_write_, clocks_.of(wave)});
      clocks_.learn(wave, known);
    };
    uint32_t previous = 0;
    for (const LdsFootprint::Span& span : acquire.spans)
      for (uint32_t at = span.begin; at < span.end; at += 1u << cell_shift_) {
        const uint32_t number = number_of(last_write_[at >> cell_shift_]);
        if (number > ordered_write_ && number != previous) {
          const Write& write = writes_[number];
          if (write.by.queue == Queue::ds && write.by.wave != wave) learn(released_by(number));
          previous = number;
        }
        const auto released = released_.find(at & ~3u);
        if (released != released_.end()) learn(*released->second);
      }
    return true;
  });
}

LdsOrder::Known LdsOrder::released_by(uint32_t number) const {
  const Write& write = writes_[number];
  Known known = clocks_.of(write.by.wave);
  for (const Learned& learned : learned_[write.by.wave])
    if (learned.next_write > number) {
      known = learned.before;
      break;
    }
  Completion complete;
  complete.vm.complete = write.vm_complete;
  complete.ds.complete = write.by.clock;
  complete.smem.complete = write.smem_complete;
  known.clock.raise(write.by.wave, complete);
  return known;
}

} // namespace fmha950::observe
