#pragma once
// LLVM's assembler for gfx950, inside this process: what is written as assembly is read back before anybody gets it.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace fmha950::assembly {

struct AssemblerError {
  size_t line = 0; // from 1
  std::string text;
};
struct Assembled {
  std::vector<AssemblerError> errors;
  std::vector<std::byte> object; // a relocatable ELF file; empty if there are errors
};

// `features` as LLVM spells them: "+sramecc,-xnack"; "" any.
Assembled assemble(const std::string& text, const std::string& features);

// Contents of a section of a relocatable ELF file; empty if there is none of that name.
std::vector<std::byte> section(std::span<const std::byte> object, const std::string& name);

} // namespace fmha950::assembly
