#include "emulator/observe/barrier_check.hpp"

#include "emulator/observe/report/party.hpp"

#include <fmt/format.h>

namespace fmha950::observe {

void BarrierCheck::start(const machine::Workgroup& workgroup) { waves_.assign(workgroup.waves.size(), {}); }

void BarrierCheck::arrived(const machine::Wave& wave, const isa::Instruction& in) {
  State& state = waves_[static_cast<size_t>(wave.index)];
  state.waits_at = &in;
  ++state.barriers;
  state.took_part = true;
}

void BarrierCheck::ended(const machine::Wave& wave, const isa::Instruction& in, bool touched_memory) {
  State& state = waves_[static_cast<size_t>(wave.index)];
  state.ended_at = &in;
  state.took_part |= touched_memory;
}

const BarrierCheck::State* BarrierCheck::any_waiting() const {
  for (const State& state : waves_)
    if (state.waits_at) return &state;
  return nullptr;
}

void BarrierCheck::released(const machine::Workgroup& workgroup, HazardSink& sink) {
  const State* waiting = any_waiting();
  for (const machine::Wave& wave : workgroup.waves) {
    const State& gone = waves_[static_cast<size_t>(wave.index)];
    if (!waiting || !gone.ended_at || !gone.took_part) continue;
    const auto& other = workgroup.waves[static_cast<size_t>(waiting - waves_.data())];
    Hazard hazard;
    hazard.type = HazardClass::barrier_divergence;
    hazard.severity = Severity::note;
    hazard.kernel = kernel_of(wave);
    hazard.earlier = party_of(wave, *gone.ended_at);
    hazard.later = party_of(other, *waiting->waits_at);
    hazard.what = fmt::format("wave {} ended after {} barriers while wave {} waits at its barrier number {}",
                              wave.index, gone.barriers, other.index, waiting->barriers);
    hazard.missing = "an s_barrier on the way of the wave that ended";
    sink.report(std::move(hazard));
  }
  for (State& state : waves_) state.waits_at = nullptr;
}

bool BarrierCheck::ran_away(const machine::Wave& wave, HazardSink& sink) const {
  const State* waiting = any_waiting();
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
