#pragma once
// The hazard classes that a kernel's code alone shows to be absent, on all paths: a launch of it need not look for them.

#include "emulator/loader/code_object.hpp"

#include <cstdint>

namespace fmha950::static_check {

// Bits as those of observe::parse_checks: of register_in_flight and wait_states, the two that find_hazards() decides. None
// for a kernel that calls, or jumps to where a register says. Paths that no wave can take are left out only if the workgroup
// is what that rests on: of one dimension and whole waves. Judged once, and kept with the decoded code.
uint32_t proved_absent(const loader::Kernel& kernel, const uint32_t (&block)[3]);

} // namespace fmha950::static_check
