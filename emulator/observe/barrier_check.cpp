#include "emulator/observe/barrier_check.hpp"

#include "emulator/observe/missing_barrier.hpp"
#include "emulator/observe/report/party.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::observe {

void BarrierCheck::start(const machine::Workgroup& workgroup) {
  waves_.resize(workgroup.waves.size());
  for (State& state : waves_) {
    state.took_part = false;
    state.waits_at = state.ended_at = nullptr;
    state.met.clear();
  }
  missed_.clear();
  running_ = waves_.size();
}

void BarrierCheck::arrived(const machine::Wave& wave, const isa::Instruction& in) {
  State& state = waves_[static_cast<size_t>(wave.index)];
  state.waits_at = &in;
  state.met.push_back(&in);
  state.took_part = true;
}

void BarrierCheck::ended(const machine::Wave& wave, const isa::Instruction& in, bool touched_memory) {
  State& state = waves_[static_cast<size_t>(wave.index)];
  state.ended_at = &in;
  state.took_part |= touched_memory;
  --running_;
}

const BarrierCheck::State* BarrierCheck::furthest_waiting() const {
  const State* found = nullptr;
  for (const State& state : waves_)
    if (state.waits_at && (!found || state.met.size() > found->met.size())) found = &state;
  return found;
}

void BarrierCheck::released(const machine::Workgroup& workgroup) {
  if (const State* waiting = furthest_waiting())
    for (const machine::Wave& wave : workgroup.waves) {
      const State& gone = waves_[static_cast<size_t>(wave.index)];
      if (!gone.ended_at || !gone.took_part) continue;
      const Missed missed{wave.index, static_cast<int>(waiting - waves_.data()), waiting->waits_at,
                          waiting->met.size()};
      const auto is_known = [&](const Missed& other) {
        return other.ended == missed.ended && other.waits_at == missed.waits_at;
      };
      const auto known = std::ranges::find_if(missed_, is_known);
      if (known == missed_.end())
        missed_.push_back(missed);
      else if (waiting->met.size() > waves_[static_cast<size_t>(known->waiting)].met.size())
        *known = missed; // the wave that waited then has ended as well
    }
  for (State& state : waves_) state.waits_at = nullptr;
}

Hazard BarrierCheck::hazard_of(const machine::Workgroup& workgroup, const Missed& missed,
                               bool lds_order_lost) const {
  const State &gone = waves_[static_cast<size_t>(missed.ended)],
              &waiting = waves_[static_cast<size_t>(missed.waiting)];
  const machine::Wave &ended = workgroup.waves[static_cast<size_t>(missed.ended)],
                      &other = workgroup.waves[static_cast<size_t>(missed.waiting)];
  Hazard hazard;
  hazard.type = HazardClass::barrier_divergence;
  hazard.kernel = kernel_of(ended);
  hazard.earlier = party_of(ended, *gone.ended_at);
  hazard.later = party_of(other, *missed.waits_at);
  hazard.missing = "an s_barrier on the way of the wave that ended";
  std::string why;
  const size_t fewer = waiting.met.size() - gone.met.size();
  if (fewer > 1) {
    why = fmt::format("it has {} fewer", fewer);
  } else {
    const MissingBarrier missing = missing_barrier(waiting.met, gone.met);
    if (missing.is_stagger()) hazard.missing = staggered_by_a_barrier;
    if (!missing.may_be_first)
      why = missing.may_be_last ? "it lacks the last one, and no group was a barrier ahead"
                                : "the one that it lacks stands between others";
    else if (lds_order_lost)
      why = "accesses to LDS lack an order, too";
    else
      hazard.severity = Severity::note;
  }
  hazard.what =
      fmt::format("wave {} ended after {} barriers while wave {} waits at its barrier number {}{}{}",
                  ended.index, gone.met.size(), other.index, missed.number, why.empty() ? "" : ": ", why);
  return hazard;
}

void BarrierCheck::report(const machine::Workgroup& workgroup, bool lds_order_lost, HazardSink& sink) {
  for (const Missed& missed : missed_) sink.report(hazard_of(workgroup, missed, lds_order_lost));
  missed_.clear();
}

bool BarrierCheck::ran_away(const machine::Wave& wave, HazardSink& sink) const {
  const State* waiting = furthest_waiting();
  if (!waiting) return false;
  const auto& other = wave.workgroup->waves[static_cast<size_t>(waiting - waves_.data())];
  Hazard hazard;
  hazard.type = HazardClass::barrier_divergence;
  hazard.kernel = kernel_of(wave);
  hazard.earlier = party_of(other, *waiting->waits_at);
  hazard.later = party_of(wave, *wave.current);
  hazard.what = fmt::format("wave {} loops ({} instructions) while wave {} waits at a barrier", wave.index,
                            wave.executed, other.index);
  sink.report(std::move(hazard));
  return true;
}

} // namespace fmha950::observe
