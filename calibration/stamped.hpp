#pragma once
// A loop that measures itself: so a GPU and the embedded device under schedule `timed` are asked in one way.

#include "calibration/loop_stamp.hpp"
#include "gfx950/kernel.hpp"
#include "gfx950/waits.hpp"

namespace fmha950::calibration {

struct Moment {
  uint64_t clocks, ticks;
};

// Both clocks in one statement: between two the compiler could put something that takes time.
FMHA950_INLINE Moment moment() {
  Moment now;
  gfx950::schedule_fence();
  asm volatile("s_memtime %0\n\ts_memrealtime %1\n\ts_waitcnt lgkmcnt(0)"
               : "=&s"(now.clocks), "=&s"(now.ticks)
               :
               : "memory");
  gfx950::schedule_fence();
  return now;
}

// Runs `loop`, and wave w of a workgroup of WAVES leaves its stamp at `stamps` + WAVES x workgroup + w.
template <int WAVES, class Loop> FMHA950_INLINE void stamped(LoopStamp* stamps, Loop loop) {
  constexpr int xcc_id = 20 | 3 << 11; // hwreg(HW_REG_XCC_ID, 0, 4): machine_gfx950.md section 1.3
  const Moment begin = moment();
  loop();
  const Moment end = moment();
  if (gfx950::lane_id() == 0)
    stamps[gfx950::workgroup_id_x() * WAVES + gfx950::wave_id()] = {
        begin.clocks, end.clocks, begin.ticks, end.ticks, uint64_t(__builtin_amdgcn_s_getreg(xcc_id))};
}

} // namespace fmha950::calibration
