#pragma once
// Where a wave says that it runs: the hardware registers HW_ID and XCC_ID (machine_gfx950.md section 1.3).
// No wave runs anywhere here, so the place is made up, but such as the chip has it (section 6.1): workgroups go
// round the 8 chiplets and fill the 32 CUs of one; the waves of a workgroup share a CU and go round its four
// SIMDs, each in a slot of its own. That a chiplet's CUs are 4 shader engines of 8 is a guess.
//
// Fixed under eager, lazy, round-robin and starve. Under random and pct the first chiplet and CU of a launch, and
// the first SIMD and slot of a workgroup are drawn: code whose results depend on its place shows it.

#include <cstdint>

namespace fmha950::machine {

struct Wave;

struct Placement {
  uint32_t hw_id = 0, xcc_id = 0;
};
Placement placement_of(const Wave& wave);

} // namespace fmha950::machine
