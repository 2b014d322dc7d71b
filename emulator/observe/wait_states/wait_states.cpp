#include "emulator/observe/wait_states/wait_states.hpp"

#include "emulator/observe/report/party.hpp"
#include "emulator/program/row.hpp"
#include "emulator/rates/instruction_use.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace fmha950::observe {

using Operand = WaitStateInfo::Operand;

struct WaitStates::Violation {
  const isa::Instruction* first = nullptr;
  Operand effect, access;
  uint32_t states = 0; // that there were
  Requirement required;
  int missing() const { return required.states - static_cast<int>(states); }
  bool is_worse_than(const Violation& other) const { // an error is worse than a warning
    if (missing() <= 0 || other.missing() <= 0) return missing() > std::max(0, other.missing());
    if (required.severity != other.required.severity) return required.severity == Severity::error;
    return missing() > other.missing();
  }
};

namespace {

// The registers of `operand` that `other` has too, bit 0 for the first of `operand`.
uint64_t common(const Operand& operand, const Operand& other) {
  const int begin = std::max(operand.first, other.first), end = std::min(operand.end(), other.end());
  if (begin >= end) return 0;
  return ((uint64_t{1} << (end - begin)) - 1) << (begin - operand.first);
}

Requirement required_between(const isa::Instruction& first, const WaitStateInfo& first_info,
                             const Operand& effect, const isa::Instruction& second, const Operand& access) {
  uint32_t effects = effect.bits, accesses = access.bits;
  const bool same_registers = effect.first == access.first && effect.count == access.count;
  if (effects & effect::matrix && same_registers) {
    if (accesses & access::c_of_xdl) accesses = access::same_c_of_xdl;
    if (accesses & access::c_of_sd) accesses = access::same_c_of_sd;
  }
  // v_dot* forwards to matrix C, and orders its writes, among instructions of one opcode (H24).
  if (first.row == second.row && accesses & (access::dot_c | access::valu_write)) effects &= ~effect::dot;
  Requirement required = required_states(effects, first_info.passes, accesses);
  // What the documents forbid but shipped kernels do without harm (errata.md).
  if ((accesses & access::m0 && isa::is_lds_dma(second)) ||
      (accesses & access::permlane && isa::valu_of(first).is_row_swap()))
    required.severity = Severity::warning;
  return required;
}

// "s_nop 3"; more than 16 states need several.
std::string nops(int states) {
  std::string text;
  for (; states > 0; states -= 16)
    text += fmt::format("{}s_nop {}", text.empty() ? "" : ", ", std::min(states, 16) - 1);
  return text;
}

std::string name_of(const Operand& operand, uint32_t accum_offset) {
  using isa::RegisterRange;
  if (operand.first == resource::dgemm) return "the f64 matrix unit";
  if (operand.first == resource::vskip) return "MODE.vskip";
  if (operand.first >= resource::hwreg) return fmt::format("hwreg({})", operand.first - resource::hwreg);
  const bool vector = operand.first < resource::scalar;
  return isa::name_of({vector ? RegisterRange::File::vector : RegisterRange::File::scalar, false,
                       static_cast<uint16_t>(operand.first - (vector ? resource::vector : resource::scalar)),
                       operand.count},
                      accum_offset);
}

} // namespace

void WaitStates::start(int waves) { tracks_.assign(static_cast<size_t>(waves), Track{}); }

void WaitStates::check(const Track& track, const machine::Wave& wave, const isa::Instruction& in,
                       const WaitStateInfo& info, HazardSink& sink) {
  Violation worst;
  for (const Operand& access : info.accesses()) {
    if (track.latest > track.clock && is_affected(track, access))
      look_back(track, access, longest_of_all, in, worst);
    else if (access.bits & access::looks_back)
      look_back(track, access, longest_after_valu, in, worst);
  }
  if (worst.first) report(worst, wave, in, sink);
}

bool WaitStates::is_affected(const Track& track, const Operand& access) {
  uint32_t last = 0;
  for (int r = access.first; r < access.end(); ++r) last = std::max(last, track.until[r]);
  return last > track.clock;
}

// Along what the wave issued, back to `horizon` states ago. A register's younger write ends the matter for
// older ones.
void WaitStates::look_back(const Track& track, const Operand& access, uint32_t horizon,
                           const isa::Instruction& in, Violation& worst) {
  uint64_t open = (uint64_t{1} << access.count) - 1; // registers whose last write is still to be found
  const uint32_t oldest = track.recorded - std::min<uint32_t>(track.recorded, std::size(track.past));
  for (uint32_t n = track.recorded; open && n-- > oldest;) {
    const Past& past = track.past[n % std::size(track.past)];
    const uint32_t states = track.clock - past.end;
    if (states >= horizon) break;
    uint64_t written = 0;
    for (const Operand& effect : past.info->effects()) {
      const uint64_t both = common(access, effect) & open;
      if (!both) continue;
      if (effect.bits & ~effect::reads_only) written |= both;
      const Requirement required = required_between(*past.instruction, *past.info, effect, in, access);
      const Violation violation{past.instruction, effect, access, states, required};
      if (violation.is_worse_than(worst)) worst = violation;
    }
    open &= ~written;
  }
}

void WaitStates::report(const Violation& violation, const machine::Wave& wave, const isa::Instruction& in,
                        HazardSink& sink) {
  constexpr uint32_t writes = access::valu_write | access::matrix_write | access::load_write | access::setreg;
  const Operand &effect = violation.effect, &access = violation.access;
  const bool reads_only = !(effect.bits & ~effect::reads_only);
  Hazard hazard;
  hazard.type = HazardClass::wait_states;
  hazard.severity = violation.required.severity;
  hazard.kernel = kernel_of(wave);
  hazard.earlier = party_of(wave, *violation.first);
  hazard.later = party_of(wave, in);
  hazard.what = fmt::format("{} {} {}, {} {} {} after {} of {} wait states ({})",
                            timing::assembler_mnemonic_of(*violation.first), reads_only ? "reads" : "writes",
                            name_of(effect, wave.accum_offset), timing::assembler_mnemonic_of(in),
                            access.bits & writes ? "overwrites" : "reads", name_of(access, wave.accum_offset),
                            violation.states, violation.required.states, violation.required.reason);
  hazard.missing = nops(violation.missing());
  sink.report(std::move(hazard));
}

} // namespace fmha950::observe
