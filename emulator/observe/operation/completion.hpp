#pragma once
// Which memory operations of a wave are known to be complete: what its s_waitcnts (and full counters, which
// stall issue) guarantee under every schedule, not what happened to be complete under this one.

#include "emulator/machine/memory_queue.hpp"

namespace fmha950::observe {

// Per queue, operations number 1, 2, 3, ... in issue order.
struct Completion {
  struct Count {
    uint32_t issued = 0;
    uint32_t complete = 0; // all operations with a number up to this one are
  };
  Count vm, ds, smem;
  const Count& of(machine::Queue queue) const {
    return queue == machine::Queue::vm ? vm : queue == machine::Queue::ds ? ds : smem;
  }
};

} // namespace fmha950::observe
