#pragma once
// Straight-line instructions walked through the wait-state check without being executed.

#include "emulator/observe/wait_states/wait_states.hpp"
#include "emulator/rates/instruction_use.hpp"
#include "tests/emulator/one_instruction.hpp"
#include "tests/observe/collected_hazards.hpp"

#include <string>
#include <vector>

namespace fmha950::test {

// Instructions one after the other as if no conditional branch were taken; nothing falls through s_branch or
// s_endpgm. `skip` leaves one out.
inline std::vector<observe::Hazard> walk(std::span<const isa::Instruction> instructions,
                                         uint32_t accum_offset, size_t skip = SIZE_MAX) {
  static OneWave bare;
  bare.wave().accum_offset = accum_offset;
  observe::WaitStates check;
  check.start(1);
  CollectedHazards sink;
  std::vector<observe::WaitStateInfo> infos;
  for (const isa::Instruction& in : instructions)
    infos.push_back(observe::wait_state_info_of(in, isa::uses_of(in, accum_offset)));
  for (size_t i = 0; i < instructions.size(); ++i)
    if (i != skip) {
      check.instruction(bare.wave(), instructions[i], infos[i], sink);
      const std::string mnemonic = timing::assembler_mnemonic_of(instructions[i]);
      if (mnemonic == "s_branch" || mnemonic == "s_endpgm" || mnemonic == "s_setpc_b64") check.start(1);
    }
  return std::move(sink.all);
}

inline std::vector<observe::Hazard> walk(const Code& code) {
  return walk(code.instructions(), Code::default_accum_offset);
}

} // namespace fmha950::test
