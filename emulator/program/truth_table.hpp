#pragma once
// Functions of single bits as truth tables: bit 4a + 2b + c is the result where the sources have those bits.

#include "emulator/program/bit_function.hpp"
#include "emulator/program/instruction.hpp"

#include <optional>

namespace fmha950::isa {

// That of v_bitop3, in the fields of omod, abs and neg (ISA guide, V_BITOP3_B32).
inline uint32_t truth_table_of(const Instruction& in) {
  return (in.words[1] >> 27 & 3) << 6 | (in.words[0] >> 8 & 7) << 3 | in.words[1] >> 29;
}

// None where a bit of the result depends on others than the same bit of each source.
constexpr std::optional<uint32_t> truth_table_of(BitFunction function) {
  constexpr uint32_t a = 0xF0, b = 0xCC, c = 0xAA, all = 0xFF;
  switch (function) {
  case BitFunction::copy: return a;
  case BitFunction::bit_not: return all & ~a;
  case BitFunction::bit_and: return a & b;
  case BitFunction::bit_or: return a | b;
  case BitFunction::bit_xor: return a ^ b;
  case BitFunction::bit_nand: return all & ~(a & b);
  case BitFunction::bit_nor: return all & ~(a | b);
  case BitFunction::bit_xnor: return all & ~(a ^ b);
  case BitFunction::and_not: return a & ~b;
  case BitFunction::or_not: return a | (all & ~b);
  case BitFunction::not_and: return all & ~a & b;
  case BitFunction::not_or: return (all & ~a) | b;
  case BitFunction::or3: return a | b | c;
  case BitFunction::and_or: return (a & b) | c;
  case BitFunction::insert: return (a & b) | (all & ~a & c);
  default: return std::nullopt;
  }
}

} // namespace fmha950::isa
