#pragma once
// Operations that may be in flight at a place, over all paths to it. A wait guarantees what the running check says
// (observe/in_flight.hpp): on a path, all but the youngest n operations are complete after vmcnt(n). So an operation may
// be in flight after the wait if fewer than n younger ones are there on some path. Only the least number of younger ones
// has to be kept.

#include "emulator/observe/in_flight.hpp"
#include "emulator/static_check/code.hpp"

#include <functional>
#include <vector>

namespace fmha950::static_check {

struct Flight : observe::Arriving {
  size_t producer = 0;  // the instruction
  bool in_order = true; // as Issue
  int younger = 0;      // the least number of younger operations that are in order, in its queue
};

class Flights {
 public:
  bool join(const Flights& other);
  bool empty() const { return flights_.empty(); }

  // What a step does to them, in the order in which the instruction does it.
  void wait(isa::Waitcnt limits);
  void issue(const Code& code, size_t index, const Step& step);
  void pass(const Step& step); // as issue, but only for those already followed: the step's own are not added
  void forget() { *this = {}; }

  const std::vector<Flight>& all() const { return flights_; }
  bool touched_by(const observe::InFlightInfo& info) const { return registers_.intersects(info.touched); }
  // How many units a counter may have at most.
  int most_vm() const { return most_vm_; }
  int most_lgkm() const { return most_lgkm_; }

  Flights only(size_t producer) const;
  // Those that a wait with `limits` completes, and one with `looser` ones does not.
  Flights between(isa::Waitcnt limits, isa::Waitcnt looser) const;

 private:
  void take_turn(const Issue& issue);
  template <class Gone> void erase(const Gone& gone);

  std::vector<Flight> flights_; // by producer and queue, each pair once
  observe::RegisterSet registers_;
  int most_vm_ = 0, most_lgkm_ = 0;
};

// What touches registers in flight: the instruction, and the flight as it is there.
using OnTouch = std::function<void(size_t index, const Flight& flight, const observe::Touch& touch)>;
void visit_touches(const Code& code, size_t index, const Flights& flights, const OnTouch& on_touch);

// One instruction: waits, then `visit(flights, index)` sees what is in flight when it executes, then it issues. Where the
// code leaves what is followed, nothing is known to be in flight afterwards: clang's functions wait for all of theirs
// before they are entered and left.
template <class Visit>
void step_flights(const Code& code, const Steps& steps, Flights& flights, size_t index, const Visit& visit) {
  const Step& step = steps[index];
  flights.wait(step.limits);
  visit(flights, index);
  flights.issue(code, index, step);
  if (step.leaves != Leaves::no) flights.forget();
}

} // namespace fmha950::static_check
