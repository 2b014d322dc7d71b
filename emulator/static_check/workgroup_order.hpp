#pragma once
// The order that barriers make among the accesses of a workgroup's waves. It needs the way of every wave (wave_traces.hpp).
// One wave's access comes before another wave's if there is a barrier between them: the first is complete before it, the
// second is issued after it. Two accesses of different waves may meet if they may touch the same bytes and one of them
// writes. A change keeps the order if any two that may meet are ordered as before; those without an order may get one.

#include "emulator/static_check/pointer_bases.hpp"
#include "emulator/static_check/wave_traces.hpp"

namespace fmha950::static_check {

class WorkgroupOrder {
 public:
  WorkgroupOrder(const Code& code, const PointerBases& bases);
  // With the waits of `steps`, and without the barrier `removed`. False as well where the ways are not known.
  bool is_kept(const Steps& steps, size_t removed = Code::none) const;

 private:
  // When an access is, counted in barriers that its wave has passed.
  struct Span {
    int issued = 0, complete = 0;
  };
  struct Phases {
    std::vector<std::vector<Span>> spans;                  // by wave, for each entry of its trace
    std::vector<std::vector<const isa::Instruction*>> met; // barriers, by wave
  };
  struct Access {
    size_t wave = 0, entry = 0;
  };
  Phases phases_of(const Steps& steps, size_t removed) const;
  void find_meetings(const PointerBases& bases);

  const Code& code_;
  std::vector<Trace> traces_;
  std::vector<std::pair<Access, Access>> meetings_; // of different waves
  Phases own_;
};

} // namespace fmha950::static_check
