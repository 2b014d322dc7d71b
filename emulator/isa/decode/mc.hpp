#pragma once
// LLVM's MC layer for gfx950: which instruction some bytes are, and its text.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fmha950::isa {

struct McInstruction {
  unsigned bytes = 0;   // 0: not an instruction of gfx950
  std::string mnemonic; // without encoding suffix
};

McInstruction identify(std::span<const uint8_t> bytes, uint64_t address);

// A register operand by LLVM's name of it ("VGPR4_VGPR5", "VCC_LO"): explicit ones in operand order, then
// implicit ones.
struct McRegister {
  std::string name;
  bool written = false, implicit = false;
};
std::vector<McRegister> registers(std::span<const uint8_t> bytes, uint64_t address); // empty: no instruction

std::string print(std::span<const uint8_t> bytes, uint64_t address);

} // namespace fmha950::isa
