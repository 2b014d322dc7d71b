#pragma once
// A function that a kernel's launches execute, as changes name it: the kernel's own, or one that it calls.

#include "emulator/program/program.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>

namespace fmha950::loader {
struct Kernel;
}

namespace fmha950::observe {

class NoSuchMutant : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct FunctionCode {
  std::string name;   // in front of offsets: "kernel" or "kernel/function"
  uint64_t entry = 0; // what offsets count from: the kernel's entry, or where the function begins
  const isa::Program::Block& block;
  uint32_t accum_offset = 0; // the kernel's: a called function has its registers

  size_t index_at(uint64_t offset) const; // of the instruction there; the first one where there is none
};

// `function`: its symbol; "" the kernel's own code. Throws NoSuchMutant where the code object has no such function, several of
// that name, or a kernel.
FunctionCode function_code(const loader::Kernel& kernel, const std::string& function);

// For every instruction that execution may come to and that uses a resource descriptor: the first one that uses the same.
std::map<size_t, size_t> resource_users(const FunctionCode& code);

} // namespace fmha950::observe
