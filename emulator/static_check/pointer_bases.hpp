#pragma once
// Through which argument of its kernel an instruction accesses device memory: what the high word of its address is made of,
// followed through moves and sums back to the load of the kernel's arguments. A product, a shift or a floating-point result
// is an offset, never a pointer; what else a pointer goes through makes it unknown.

#include "emulator/static_check/code.hpp"

namespace fmha950::static_check {

// What a prover may take to be true of a launch beside the code.
enum class Premise : uint8_t {
  none,
  arguments_apart, // what it reads through one argument it does not write through another (interface/implementation.hpp)
  exact_sums // sums and products that are compared as signed numbers are exact (likewise)
};

class PointerBases {
 public:
  PointerBases(const Code& code, Premise premise);
  // Whether they surely access other bytes. A load of the arguments themselves does, whatever the premise: nobody writes them
  // while a kernel runs (LLVM AMDGPUUsage, "Memory Spaces": they lie in constant memory). Else through other arguments. Of a
  // kernel that may pass a flag through device memory nothing is said, because what one writes elsewhere may tell another to
  // read or write here.
  bool apart(size_t a, size_t b) const;
  // A bit for each eight bytes of the arguments that the access may be through; 0: not known.
  uint64_t arguments(size_t index) const { return arguments_[index]; }

 private:
  std::vector<uint64_t> arguments_; // by instruction
  std::vector<bool> loads_arguments_;
  bool tells_apart_ = false;
};

} // namespace fmha950::static_check
