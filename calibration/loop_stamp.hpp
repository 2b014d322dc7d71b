#pragma once
// What a wave of a kernel that measures itself leaves of its loop. Host and device include this file.

#include <stdint.h>

namespace fmha950::calibration {

struct LoopStamp {
  uint64_t begin_clocks, end_clocks; // s_memtime: clocks of the compute unit
  uint64_t begin_ticks, end_ticks;   // s_memrealtime: 100 MHz (machine_gfx950.md section 1.2)
  uint64_t chiplet;
};

} // namespace fmha950::calibration
