#pragma once
// A kernel of a table, by name.

#include "interface/error.hpp"

#include <span>
#include <string>
#include <string_view>

namespace fmha950::calibration {

// Throws InvalidInput naming those that exist; `what` they are.
template <class Kernel>
const Kernel& kernel_named(std::span<const Kernel> kernels, const char* what, std::string_view name) {
  std::string names;
  for (const Kernel& kernel : kernels) {
    if (kernel.name == name) return kernel;
    names += (names.empty() ? "" : ", ") + std::string(kernel.name);
  }
  throw InvalidInput(what, std::string(name), "must be one of " + names);
}

} // namespace fmha950::calibration
