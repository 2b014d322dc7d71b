#pragma once
// Why a launch stopped. The text names kernel, workgroup, wave, instruction, address and source line once the
// dispatch loop has added them.

#include <cstdint>
#include <stdexcept>
#include <string>

namespace fmha950::machine {

class Fault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
class MisalignedFault : public Fault { // of an access that the hardware does not do misaligned
 public:
  using Fault::Fault;
};
class RunawayFault : public Fault { // the instruction budget is used up
 public:
  using Fault::Fault;
};

// A lane's access outside every live allocation.
class AccessFault : public Fault {
 public:
  AccessFault(const std::string& text, uint64_t address, uint64_t bytes, bool write, int lane)
      : Fault(text), address(address), bytes(bytes), write(write), lane(lane) {}
  const uint64_t address, bytes;
  const bool write;
  const int lane; // -1: a scalar access
};

// Out of line and cold, so that instruction bodies stay short.
[[noreturn, gnu::cold]] void raise_fault(const char* message);
[[noreturn, gnu::cold]] void raise_fault(std::string message);
[[noreturn, gnu::cold]] void raise_misaligned(const char* message);

} // namespace fmha950::machine
