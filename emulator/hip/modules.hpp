#pragma once
// Loaded code objects and their kernels.

#include "emulator/hip/runtime.hpp"
#include "emulator/loader/code_object.hpp"

#include <deque>

struct ihipModuleSymbol_t {
  const fmha950::loader::Kernel* kernel = nullptr;
};

struct ihipModule_t {
  explicit ihipModule_t(std::span<const std::byte> elf);
  ~ihipModule_t();
  ihipModuleSymbol_t* find_function(const char* name); // null: no such kernel

  fmha950::loader::CodeObject code;

 private:
  std::deque<ihipModuleSymbol_t> functions_; // one per kernel
};

namespace fmha950::hip {

ihipModuleSymbol_t& require_function(hipFunction_t function); // throws CallError
const loader::Global& require_global(const ihipModule_t& module, const char* name);
hipFunction_t require_kernel(ihipModule_t& module, const char* name);

} // namespace fmha950::hip
