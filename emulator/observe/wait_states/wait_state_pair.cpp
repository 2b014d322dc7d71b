#include "emulator/observe/wait_states/wait_state_pair.hpp"

#include "emulator/program/row.hpp"
#include "emulator/rates/instruction_use.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::observe {
namespace {

using Operand = WaitStateInfo::Operand;

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

uint64_t common_registers(const Operand& operand, const Operand& other) {
  const int begin = std::max(operand.first, other.first), end = std::min(operand.end(), other.end());
  if (begin >= end) return 0;
  return ((uint64_t{1} << (end - begin)) - 1) << (begin - operand.first);
}

// How few of the states that the documents ask for shipped kernels leave between the two (errata.md).
int WaitStatePair::states_of_shipped_code(int states, uint32_t accesses) const {
  if (accesses & access::m0 && isa::is_lds_dma(*second)) return 0;
  const isa::ValuFacts facts = isa::valu_of(*first);
  if (accesses & access::permlane && facts.is_row_swap()) return 0;
  if (states > longest_after_valu) return states; // by a rule about something else
  if (accesses & access::constant && facts.flow == isa::ValuFlow::read_lane) return 0;
  if (accesses & access::dpp && effect.bits & effect::valu) return 1;
  return states;
}

Requirement WaitStatePair::required() const {
  uint32_t effects = effect.bits, accesses = access.bits;
  const bool accumulates = effects & effect::matrix && accesses & (access::c_of_xdl | access::c_of_sd) &&
                           effect.first == access.first && effect.count == access.count;
  if (accumulates) {
    if (accesses & access::c_of_xdl) accesses = access::same_c_of_xdl;
    if (accesses & access::c_of_sd) accesses = access::same_c_of_sd;
  }
  // v_dot* forwards to matrix C, and orders its writes, among instructions of one opcode (H24).
  if (first->row == second->row && accesses & (access::dot_c | access::valu_write)) effects &= ~effect::dot;
  Requirement required = required_states(effects, first_info->passes, accesses);
  required.error_below = std::min(required.error_below, states_of_shipped_code(required.states, accesses));
  // LLVM #218363, open (errata.md).
  constexpr int between_two_kinds = 5;
  if (accumulates && first->row != second->row && required.states < between_two_kinds)
    return {between_two_kinds, "two kinds of MFMA on one accumulator", 0};
  return required;
}

std::string WaitStatePair::text(int states, uint32_t accum_offset) const {
  constexpr uint32_t writes = access::valu_write | access::matrix_write | access::load_write | access::setreg;
  const bool reads_only = !(effect.bits & ~effect::reads_only);
  const Requirement requirement = required();
  return fmt::format("{} {} {}, {} {} {} after {} of {} wait states ({})",
                     timing::assembler_mnemonic_of(*first), reads_only ? "reads" : "writes",
                     name_of(effect, accum_offset), timing::assembler_mnemonic_of(*second),
                     access.bits & writes ? "overwrites" : "reads", name_of(access, accum_offset), states,
                     requirement.states, requirement.reason);
}

bool SpacedPair::is_worse_than(const SpacedPair& other) const {
  if (missing() <= 0 || other.missing() <= 0) return missing() > std::max(0, other.missing());
  if (severity() != other.severity()) return severity() == Severity::error;
  return missing() > other.missing();
}

std::string nops(int states) {
  std::string text;
  for (; states > 0; states -= 16)
    text += fmt::format("{}s_nop {}", text.empty() ? "" : ", ", std::min(states, 16) - 1);
  return text;
}

} // namespace fmha950::observe
