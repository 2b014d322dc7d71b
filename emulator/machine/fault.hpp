#pragma once
// Why a launch stopped. The text names kernel, workgroup, wave, instruction, address and source line once the
// dispatch loop has added them.

#include <stdexcept>
#include <string>

namespace fmha950::machine {

class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Out of line and cold, so that instruction bodies stay short.
[[noreturn, gnu::cold]] void raise_fault(const char* message);
[[noreturn, gnu::cold]] void raise_fault(std::string message);

} // namespace fmha950::machine
