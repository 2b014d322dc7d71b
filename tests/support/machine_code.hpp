#pragma once
// The machine code of a kernel, as llvm-objdump prints it, and its loop over tiles.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::test {

struct Instruction {
  uint64_t address;
  std::string text; // mnemonic and operands
  uint64_t target;  // of a branch, else 0
};
using MachineCode = std::vector<Instruction>;

// The kernels (and functions) of a code object file, by name.
std::map<std::string, MachineCode> disassemble(const std::string& file);

// Instructions in whose text this stands.
int count(const MachineCode& code, std::string_view text);

// The loop with the most matrix instructions, in an order in which a round executes them: the loop over
// tiles. Empty if no loop has any.
MachineCode main_loop(const MachineCode& code);

} // namespace fmha950::test
