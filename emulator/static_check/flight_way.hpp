#pragma once
// One operation in flight on its way along straight code, up to the next branch: what the walk of paths (path_walk.hpp) and the
// look ahead of it (flow_ahead.hpp) have in common.

#include "emulator/machine/wave.hpp"
#include "emulator/program/row.hpp"
#include "emulator/static_check/branch_condition.hpp"
#include "emulator/static_check/flights.hpp"

#include <functional>
#include <optional>

namespace fmha950::static_check {

struct ChangedWait {
  size_t index = 0;
  isa::Waitcnt was; // its limits before
};

// Asked at each instruction with the one operation, as it is in flight there, and whether the lanes that execute the
// instruction may be some of the operation's.
using IsMet = std::function<bool(size_t index, const Flights& flights, bool lanes_meet)>;

struct Question {
  const Code& code;
  const Steps& steps;
  std::optional<ChangedWait> changed; // then it is asked only where the operation is in flight because of it
  IsMet is_met;
};

struct Position {
  Flights flights; // of the one operation
  size_t index = 0;
  bool kept = false; // in flight as is asked
  // Whether EXEC is as it was at the operation, which needs lanes: if it had none, it is not in flight.
  bool lanes_kept = false;
};

enum class WayEnds : uint8_t { met, over, at_branch };

// `Facts` has bool may_go_on() (false: met, for all that is known), bool has_lanes() (whether the operation may do anything),
// bool lanes_meet(), and execute(index).
template <class Facts> WayEnds follow(const Question& question, Position& at, Facts& facts) {
  for (;; ++at.index) {
    const size_t index = at.index;
    if (!facts.may_go_on() || index >= question.code.size() || question.steps[index].leaves != Leaves::no)
      return WayEnds::met;
    const Step& step = question.steps[index];
    if (question.changed && index == question.changed->index) {
      Flights unchanged = at.flights;
      unchanged.wait(question.changed->was);
      at.kept |= unchanged.empty();
    }
    at.flights.wait(step.limits);
    if (at.flights.empty() || !facts.has_lanes()) return WayEnds::over;
    if (at.kept && question.is_met(index, at.flights, facts.lanes_meet())) return WayEnds::met;
    at.flights.pass(step);
    const isa::Instruction& in = question.code.instruction(index);
    if (at.flights.empty() || isa::control_of(in) == isa::ControlRole::end) return WayEnds::over;
    if (isa::is_relative_branch(in)) return WayEnds::at_branch;
    at.lanes_kept &= !holds_exec(question.code.info(index).uses.writes());
    facts.execute(index);
  }
}

struct Way {
  size_t index = 0;   // where it leads
  bool taken = false; // which may be the instruction behind the branch, too
};

// Those that the branch may go.
inline std::vector<Way> ways_from(const Code& code, const Position& at) {
  const isa::Instruction& in = code.instruction(at.index);
  const Way behind{at.index + 1, false}, target{at.index + static_cast<size_t>(in.target), true};
  if (isa::control_of(in) != isa::ControlRole::branch_if) return {target};
  if (!at.lanes_kept) return {behind, target};
  const BranchCondition condition = condition_of_branch(code, at.index);
  if (condition.code != machine::code::exec) return {behind, target};
  return {condition.taken_at_zero ? behind : target};
}

} // namespace fmha950::static_check
