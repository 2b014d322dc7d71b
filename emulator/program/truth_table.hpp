#pragma once
// The truth table of v_bitop3, in the fields of omod, abs and neg (ISA guide, V_BITOP3_B32): bit 4a + 2b + c is the result where the
// sources have those bits.

#include "emulator/program/instruction.hpp"

namespace fmha950::isa {

inline uint32_t truth_table_of(const Instruction& in) {
  return (in.words[1] >> 27 & 3) << 6 | (in.words[0] >> 8 & 7) << 3 | in.words[1] >> 29;
}

} // namespace fmha950::isa
