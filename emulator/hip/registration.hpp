#pragma once
// Kernels and variables that clang -x hip registers for the host program's own symbols.

#include "emulator/hip/modules.hpp"

namespace fmha950::hip {

// Loads the fat binary on first use. Throw CallError or LoadError.
hipFunction_t registered_function(const void* host_function);
const loader::Global& registered_variable(const void* host_variable);

} // namespace fmha950::hip
