#pragma once
// The order that barriers make among the accesses of a workgroup's waves, where every wave's way is known (wave_traces.hpp):
// an access is before another wave's if it is complete before a barrier that the other wave has passed at its issue.
// A change keeps the order if that of all accesses that may meet, one of them a write, stays as it is. Those that the code
// itself leaves unordered may stay so.

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
    std::vector<std::vector<Span>> spans; // by wave, for each entry of its trace
    std::vector<int> barriers;            // by wave
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
