#pragma once
// Who decides what happens when under the schedule `timed`: the cycle model, which knows the clocks (emulator/timing/online).

#include "emulator/machine/memory_queue.hpp"

#include <memory>

namespace fmha950::machine {

struct Workgroup;

// Runs the workgroups of one host thread, one after the other.
class WorkgroupPacer {
 public:
  virtual ~WorkgroupPacer() = default;
  virtual void run(Workgroup&) = 0; // until every wave has ended, by Workgroup::step; throws Fault
  // A memory operation of a wave: the pacer lets it take effect and delivers it.
  virtual void issued(Wave&, std::unique_ptr<Access>, Queue) = 0;
  virtual uint64_t
  clock() const = 0; // at which an operation takes effect, while it does: what s_memtime reads
};

class Pacer { // of one launch
 public:
  virtual ~Pacer() = default;
  virtual std::unique_ptr<WorkgroupPacer> join() = 0; // called once by each host thread of the launch
};

} // namespace fmha950::machine
