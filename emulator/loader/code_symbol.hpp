#pragma once
// The symbol that an address of code is told by, and what its offset counts from.

#include <cstdint>
#include <string>

namespace fmha950::loader {

struct Kernel;

struct CodeSymbol {
  std::string name; // the kernel, if it is the kernel's own code, else the function; "" no code of the object
  uint64_t begin = 0;
};
CodeSymbol symbol_of(const Kernel& kernel, uint64_t address);

// "0x10" in the kernel's own code, "function+0x10" in another function.
std::string place_text(const Kernel& kernel, uint64_t address);

} // namespace fmha950::loader
