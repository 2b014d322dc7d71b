#include "emulator/observe/wait_states/wait_states.hpp"

#include "emulator/observe/report/party.hpp"

#include <algorithm>

namespace fmha950::observe {

using Operand = WaitStateInfo::Operand;

void WaitStates::start(int waves) { tracks_.assign(static_cast<size_t>(waves), Track{}); }

void WaitStates::check(const Track& track, const machine::Wave& wave, const isa::Instruction& in,
                       const WaitStateInfo& info, HazardSink& sink) {
  SpacedPair worst;
  for (const Operand& access : info.accesses()) {
    if (track.latest > track.clock && is_affected(track, access))
      look_back(track, access, longest_of_all, in, worst);
    else if (access.bits & access::looks_back)
      look_back(track, access, longest_after_valu, in, worst);
  }
  if (worst.pair.first) report(worst, wave, in, sink);
}

bool WaitStates::is_affected(const Track& track, const Operand& access) {
  uint32_t last = 0;
  for (int r = access.first; r < access.end(); ++r) last = std::max(last, track.until[r]);
  return last > track.clock;
}

// Along what the wave issued, back to `horizon` states ago. A register's younger write ends the matter for
// older ones.
void WaitStates::look_back(const Track& track, const Operand& access, uint32_t horizon,
                           const isa::Instruction& in, SpacedPair& worst) {
  uint64_t open = (uint64_t{1} << access.count) - 1; // registers whose last write is still to be found
  const uint32_t oldest = track.recorded - std::min<uint32_t>(track.recorded, std::size(track.past));
  for (uint32_t n = track.recorded; open && n-- > oldest;) {
    const Past& past = track.past[n % std::size(track.past)];
    const uint32_t states = track.clock - past.end;
    if (states >= horizon) break;
    uint64_t written = 0;
    for (const Operand& effect : past.info->effects()) {
      const uint64_t both = common_registers(access, effect) & open;
      if (!both) continue;
      if (effect.bits & ~effect::reads_only) written |= both;
      const WaitStatePair pair{past.instruction, past.info, effect, &in, access};
      const SpacedPair spaced{pair, static_cast<int>(states), pair.required()};
      if (spaced.is_worse_than(worst)) worst = spaced;
    }
    open &= ~written;
  }
}

void WaitStates::report(const SpacedPair& violation, const machine::Wave& wave, const isa::Instruction& in,
                        HazardSink& sink) {
  Hazard hazard;
  hazard.type = HazardClass::wait_states;
  hazard.severity = violation.severity();
  hazard.kernel = kernel_of(wave);
  hazard.earlier = party_of(wave, *violation.pair.first);
  hazard.later = party_of(wave, in);
  hazard.what = violation.pair.text(violation.states, wave.accum_offset);
  hazard.missing = nops(violation.missing());
  sink.report(std::move(hazard));
}

} // namespace fmha950::observe
