#pragma once
// Registers that inline assembly loads: the compiler takes them for filled at once and must not touch them
// before the kernel's own wait.

#include "tests/support/machine_code.hpp"

namespace fmha950::test {

// The first instruction of a loop that touches a vector register which a load still fills; "" if none does.
std::string touches_load_in_flight(const MachineCode& loop);

} // namespace fmha950::test
