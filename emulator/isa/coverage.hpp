#pragma once
// Which gfx950 opcodes the device executes, and how well: against all that LLVM's disassembler knows, or of a code object.

#include "emulator/isa/matrix_products.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fmha950::loader {
class CodeObject;
}

namespace fmha950::isa {

struct FamilyCoverage {
  std::string encoding;
  std::vector<std::string> implemented, missing; // mnemonics, each counted in the first encoding that has it
};

std::vector<FamilyCoverage> coverage_by_family();
std::string coverage(); // a table that closes with "N of M opcodes (P %)"

struct FileCoverage {                      // of all functions of a code object
  std::vector<std::string> exact, missing; // missing: s_getreg and s_setreg with the register, too
  std::map<std::string, std::vector<std::string>> approximate; // by what differs from the silicon
  std::set<std::string> matrix_operands; // types that matrix instructions multiply: fp8 ...
  std::vector<MatrixProducts> products;
  size_t undecoded = 0; // dwords that are no instruction of gfx950
};

FileCoverage coverage_of(const loader::CodeObject& object);
std::string text_of(const FileCoverage& coverage); // closes in the same way, with what the file has

} // namespace fmha950::isa
