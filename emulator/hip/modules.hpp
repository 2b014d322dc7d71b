#pragma once
// Loaded code objects and their kernels.

#include "emulator/hip/runtime.hpp"
#include "emulator/loader/code_object.hpp"

#include <deque>
#include <memory>

struct ihipModuleSymbol_t {
  const fmha950::loader::Kernel* kernel = nullptr;
};

struct ihipModule_t {
  static std::shared_ptr<ihipModule_t>
  load(std::span<const std::byte> elf); // its functions are found from then on
  explicit ihipModule_t(std::span<const std::byte> elf);
  ~ihipModule_t();
  ihipModuleSymbol_t* find_function(const char* name); // null: no such kernel

  fmha950::loader::CodeObject code;

 private:
  std::deque<ihipModuleSymbol_t> functions_; // one per kernel
};

namespace fmha950::hip {

// Holds its module, which another thread may unload meanwhile.
using KernelPointer = std::shared_ptr<const loader::Kernel>;

KernelPointer find_kernel(hipFunction_t function);    // null: of no module that is loaded
KernelPointer require_kernel(hipFunction_t function); // throws CallError
const loader::Global& require_global(const ihipModule_t& module, const char* name);
hipFunction_t require_function(ihipModule_t& module, const char* name);

} // namespace fmha950::hip
