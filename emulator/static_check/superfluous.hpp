#pragma once
// Waits and s_nops that a kernel could do without, or with less of: on no path is anything touched too soon then. All
// that are listed may be changed together.

#include "emulator/static_check/code.hpp"

#include <string>
#include <vector>

namespace fmha950::static_check {

struct Superfluous {
  enum class Kind : uint8_t { wait, nop };
  Kind kind = Kind::wait;
  size_t at = 0;      // instruction
  std::string what;   // "vmcnt(0)", "s_nop 3": of a wait one counter
  std::string enough; // "vmcnt(4)", "s_nop 0"; "" it may go
  std::string reason;
};

// In code order. Where the code leaves what is followed there are none: what is not followed may need them.
std::vector<Superfluous> find_superfluous(const Code& code);

} // namespace fmha950::static_check
