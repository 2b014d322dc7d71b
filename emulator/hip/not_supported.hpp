#pragma once
// Functions that the public headers declare and this runtime has not. cmake/HipNames.cmake makes a file of them.

#include "emulator/hip/hip_abi.hpp"

namespace fmha950::hip {

hipError_t not_supported(const char* name);

} // namespace fmha950::hip

// Whatever its arguments are: the System V ABI lets the caller clean up.
#define FMHA950_STUB(name)                                                                                   \
  extern "C" __attribute__((weak, visibility("default"))) hipError_t name() {                                \
    return fmha950::hip::not_supported(#name);                                                               \
  }
#define FMHA950_SAME(name, as)                                                                               \
  __asm__(".text\n.weak " #name "\n.type " #name ", @function\n" #name ": jmp " #as "@PLT\n.size " #name     \
          ", .-" #name "\n");
