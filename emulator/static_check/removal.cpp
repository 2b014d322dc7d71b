#include "emulator/static_check/removal.hpp"

#include "emulator/isa/mnemonic.hpp"
#include "emulator/program/row.hpp"
#include "emulator/static_check/propagate.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::static_check {
namespace {

using machine::Queue;
using observe::MemoryOperation;
using Role = observe::InstructionInfo::Role;

// A load into registers. (LDS DMA writes LDS, atomics write memory.)
bool is_load(const Code& code, size_t index) {
  const MemoryOperation& operation = code.info(index).operation;
  return operation.kind == MemoryOperation::Kind::load && !operation.lds_dma;
}
bool touches_memory(const Code& code, size_t index) {
  const isa::MemoryKind kind = isa::memory_of(code.instruction(index)).kind;
  return kind != isa::MemoryKind::lane_exchange && kind != isa::MemoryKind::clock;
}

// Whether a flag may be read by it that says that other data is there: in LDS, or past the caches (sc0, sc1).
bool may_read_flag(const Code& code, const Flight& flight) {
  const isa::Instruction& in = code.instruction(flight.producer);
  return flight.queue == Queue::ds ? code.lds_may_announce() : in.sc0 || in.sc1;
}

// What may be lost if the operation is still in flight when `later` executes, other than registers; null: nothing.
const char* order_lost(const Code& code, const Steps& steps, const Flight& flight, size_t later) {
  const size_t earlier = flight.producer;
  if (steps[later].leaves != Leaves::no) return "in flight where the code leaves what is followed";
  if (!touches_memory(code, earlier)) return nullptr;
  if (code.info(later).role == Role::barrier) return "in flight at a barrier";
  if (steps[later].issues().empty() || !touches_memory(code, later)) return nullptr;
  const auto in_its_queue = [&](const Issue& issue) {
    return issue.queue == flight.queue && issue.in_order && flight.in_order && flight.queue != Queue::smem;
  };
  const bool in_order = std::ranges::all_of(steps[later].issues(), in_its_queue);
  // LDS operations of a wave take effect one after the other.
  if (in_order && flight.queue == Queue::ds) return nullptr;
  const bool into_lds = code.info(earlier).operation.lds_dma;
  if (into_lds && in_order && (is_load(code, later) || code.info(later).operation.lds_dma)) return nullptr;
  if (into_lds) return "LDS DMA in flight at a memory operation";
  if (!is_load(code, earlier) || !is_load(code, later)) return "in flight at a memory operation";
  return in_order || !may_read_flag(code, flight) ? nullptr : "in flight at a load";
}

} // namespace

std::vector<Flights> flights_before_waits(const Code& code, const Steps& steps) {
  std::vector<Flights> before(code.size());
  propagate(code, 0, Flights(), true, [&](Flights& state, size_t index) {
    if (code.info(index).role == Role::waitcnt) before[index] = state;
    step_flights(code, steps, state, index, [](const Flights&, size_t) {});
  });
  return before;
}

std::vector<Distances> distances_before_nops(const Code& code, const Steps& steps) {
  std::vector<Distances> before(code.size());
  propagate(code, 0, Distances(), true, [&](Distances& state, size_t index) {
    if (isa::control_of(code.instruction(index)) == isa::ControlRole::nop) before[index] = state;
    step_distances(code, steps, state, index, [](const Distances&, size_t) {});
  });
  return before;
}

std::optional<Objection> objection_to_wait(const Code& code, const Steps& steps, const Flights& flights,
                                           size_t index, isa::Waitcnt was) {
  std::optional<Objection> found;
  const auto touch = [&](size_t later, const Flight& flight, const observe::Touch& what) {
    if (!found || !found->is_error)
      found = {flight.producer, later, observe::text_of(what, flight, code.accum_offset()), true};
  };
  const auto visit = [&](const Flights& kept, size_t later) {
    visit_touches(code, later, kept, touch);
    if (found) return;
    for (const Flight& flight : kept.all())
      if (const char* lost = order_lost(code, steps, flight, later); lost && !found)
        found = {flight.producer, later, fmt::format("{} {}", mnemonic_of(*flight.instruction), lost), false};
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
