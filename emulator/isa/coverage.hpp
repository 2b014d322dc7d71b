#pragma once
// Which gfx950 opcodes the device executes, against all that LLVM's disassembler knows.

#include <string>
#include <vector>

namespace fmha950::isa {

struct FamilyCoverage {
  std::string encoding;
  std::vector<std::string> implemented, missing; // mnemonics, each counted in the first encoding that has it
};

std::vector<FamilyCoverage> coverage_by_family();
std::string coverage(); // a table that closes with "N of M opcodes (P %)"

} // namespace fmha950::isa
