#include "emulator/static_check/phases.hpp"

#include "emulator/static_check/effects.hpp"
#include "emulator/static_check/propagate.hpp"
#include "emulator/static_check/uniform_ways.hpp"

#include <algorithm>

namespace fmha950::static_check {
namespace {

// Open until a barrier at which all is complete.
struct UntilOrdered {
  Flights flights;
  bool open = true;
  bool join(const UntilOrdered& other) {
    const bool opened = other.open && !open;
    open |= other.open;
    return flights.join(other.flights) || opened;
  }
  bool empty() const { return !open; }
};

} // namespace

Phases::Phases(const Code& code, const CommonValues& common)
    : code_(code), meet_(!code.leaves() && meet_at_barriers(code, common)),
      before_(code.flow().blocks.size()), stores_at_(code.size()) {
  const std::vector<isa::BasicBlock>& blocks = code.flow().blocks;
  for (size_t block = 0; block < blocks.size(); ++block)
    for (size_t successor : blocks[block].successors) before_[successor].push_back(block);
  propagate(code, 0, Flights(), true, [&](Flights& flights, size_t index) {
    step_flights(code, code.steps(), flights, index, [&](const Flights& in_flight, size_t at) {
      if (!is_barrier(at)) return;
      stores_at_[at].clear();
      for (const Flight& flight : in_flight.all())
        if (effect_of(code, flight.producer).writes_memory) stores_at_[at].push_back(flight.producer);
    });
  });
}

bool Phases::is_barrier(size_t index) const {
  return code_.info(index).role == observe::InstructionInfo::Role::barrier;
}

// Barriers, or the entry, from which the instruction is reached without another.
std::vector<size_t> Phases::begins_of_phase(size_t index) const {
  const std::vector<isa::BasicBlock>& blocks = code_.flow().blocks;
  std::vector<size_t> begins, open;
  std::vector<bool> seen(blocks.size());
  const auto back = [&](size_t block, size_t end) {
    for (size_t i = end; i-- > blocks[block].begin;)
      if (is_barrier(i)) return begins.push_back(i);
    if (blocks[block].begin == 0) begins.push_back(Code::none);
    open.insert(open.end(), before_[block].begin(), before_[block].end());
  };
  back(code_.block_of(index), index);
  while (!open.empty()) {
    const size_t block = open.back();
    open.pop_back();
    if (seen[block]) continue;
    seen[block] = true;
    back(block, blocks[block].end);
  }
  return begins;
}

void Phases::add_phase(size_t begin, Beside& beside) const {
  propagate(code_, begin, UntilOrdered(), false, [&](UntilOrdered& state, size_t index) {
    beside.instructions[index] = true;
    state.open = !is_barrier(index);
  });
}

std::optional<Phases::Beside> Phases::beside(const Flights& flights, size_t later, const Steps& steps) const {
  if (!meet_) return std::nullopt;
  Beside result{std::vector<bool>(code_.size()), {}};
  const auto arrive = [&](size_t barrier) {
    result.arriving.insert(result.arriving.end(), stores_at_[barrier].begin(), stores_at_[barrier].end());
  };
  const bool from_barrier = is_barrier(later);
  if (from_barrier)
    arrive(later);
  else
    for (size_t barrier : begins_of_phase(later)) {
      if (barrier != Code::none) arrive(barrier);
      add_phase(barrier == Code::none ? 0 : barrier + 1, result);
    }
  propagate(code_, from_barrier ? later + 1 : later, UntilOrdered{flights}, false,
            [&](UntilOrdered& state, size_t index) {
              state.flights.wait(steps[index].limits);
              result.instructions[index] = true;
              state.flights.pass(steps[index]);
              if (!is_barrier(index)) return;
              state.open = !state.flights.empty();
              if (state.open) arrive(index);
            });
  return result;
}

} // namespace fmha950::static_check
