#include "emulator/static_check/removal.hpp"

#include "emulator/isa/mnemonic.hpp"
#include "emulator/program/row.hpp"
#include "emulator/static_check/path_walk.hpp"
#include "emulator/static_check/propagate.hpp"

#include <fmt/format.h>
#include <map>
#include <tuple>

namespace fmha950::static_check {
namespace {

using Role = observe::InstructionInfo::Role;

// Asks once for each operation, place and number of younger ones.
class LostOrders {
 public:
  LostOrders(const Code& code, const Waves& waves, const Steps& steps)
      : code_(code), waves_(waves), steps_(steps) {}
  const char* at(const Flights& one, size_t later) {
    const Flight& flight = one.all().front();
    const auto [found, is_new] = known_.try_emplace({flight.producer, later, flight.younger}, nullptr);
    if (is_new) found->second = order_lost(code_, waves_, steps_, one, later);
    return found->second;
  }

 private:
  const Code& code_;
  const Waves& waves_;
  const Steps& steps_;
  std::map<std::tuple<size_t, size_t, int>, const char*> known_;
};

} // namespace

std::vector<Flights> flights_before_waits(const Code& code, const Steps& steps) {
  std::vector<Flights> before(code.size());
  propagate(code, 0, Flights(), true, [&](Flights& state, size_t index) {
    if (code.info(index).role == Role::waitcnt) before[index] = state;
    step_flights(code, steps, state, index, [](const Flights&, size_t) {});
  });
  return before;
}

std::vector<Distances> distances_before_removals(const Code& code, const Steps& steps) {
  std::vector<Distances> before(code.size());
  propagate(code, 0, Distances(), true, [&](Distances& state, size_t index) {
    const isa::ControlRole role = isa::control_of(code.instruction(index));
    if (role == isa::ControlRole::nop || role == isa::ControlRole::barrier ||
        role == isa::ControlRole::waitcnt)
      before[index] = state;
    step_distances(code, steps, state, index, [](const Distances&, size_t) {});
  });
  return before;
}

std::optional<Objection> objection_to_wait(const Code& code, const Waves& waves, const Steps& steps,
                                           const Flights& flights, size_t index, isa::Waitcnt was) {
  std::optional<Objection> found;
  LostOrders lost_orders(code, waves, steps);
  const auto on_a_path = [&](size_t operation, const IsMet& is_met) {
    const LinearValuesBefore* linear = waves.linear ? &*waves.linear : nullptr;
    return is_met_on_a_path({code, steps, ChangedWait{index, was}, is_met}, waves.common, linear, operation);
  };
  const auto is_touched = [&](size_t later, const Flights& one, bool lanes_meet) {
    return touches_in_lanes(code, later, one, lanes_meet);
  };
  const auto is_lost = [&](size_t later, const Flights& one, bool) {
    return lost_orders.at(one, later) != nullptr;
  };
  std::map<size_t, bool> touched, lost; // by operation, on some path
  const auto once = [&](std::map<size_t, bool>& known, size_t operation, const IsMet& is_met) {
    if (!known.contains(operation)) known[operation] = on_a_path(operation, is_met);
    return known[operation];
  };
  const auto touch = [&](size_t later, const Flight& flight, const observe::Touch& what) {
    if ((!found || !found->is_error) && once(touched, flight.producer, is_touched))
      found = {flight.producer, later, observe::text_of(what, flight, code.accum_offset()), true};
  };
  const auto visit = [&](const Flights& kept, size_t later) {
    visit_touches(code, later, kept, touch);
    for (const Flight& flight : kept.all()) {
      if (found) return;
      if (const char* what = lost_orders.at(kept.only(flight.producer), later);
          what && once(lost, flight.producer, is_lost))
        found = {flight.producer, later, fmt::format("{} {}", mnemonic_of(*flight.instruction), what), false};
    }
  };
  // Only what is followed is kept in the state: what comes newly into flight is there without the change, too.
  propagate(code, index, flights.between(was, steps[index].limits), false, [&](Flights& kept, size_t at) {
    if (found && found->is_error) return kept.forget();
    const Step& step = steps[at];
    kept.wait(step.limits);
    visit(kept, at);
    kept.pass(step);
    if (step.leaves != Leaves::no) kept.forget();
  });
  return found;
}

Missing missing_without(const Code& code, const Steps& steps, const Distances& distances, size_t index) {
  Missing most;
  const auto visit = [&](const Distances& state, size_t later) {
    for (const TooClose& close : too_close(code, later, state))
      if (close.missing() > most.states)
        most = {close.missing(),
                Objection{close.producer, later, close.pair.text(close.states, code.accum_offset()), true}};
  };
  propagate(code, index, distances, false, [&](Distances& state, size_t at) {
    visit(state, at);
    state.age(code, at, steps[at].states);
    if (steps[at].leaves != Leaves::no) state.forget();
  });
  return most;
}

} // namespace fmha950::static_check
