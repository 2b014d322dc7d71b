#pragma once
// What public sources leave open and what decides most: figures are shown for the other choices too.

#include "emulator/rates/latencies.hpp"
#include "emulator/rates/rates.hpp"

namespace fmha950::timing {

struct Assumptions {
  bool lds_reads_128 = false; // 128 bytes per clock instead of 256 (machine_gfx950.md 3.3)
  bool slow_exp = false;      // transcendentals take 16 clocks instead of 8 (6.3)
  // An MFMA takes its SIMD's VALU slot for 8 clocks (6.3: a wave's next VALU instruction issues at clock 8).
  bool mfma_in_valu_slot = false;
  // A packed instruction waits for its SIMD's matrix unit, and holds it while it runs (6.3).
  bool packed_alone = false;
  // A CU's translations have a limited reach (latencies.hpp); else each address is known.
  bool translation = false;
  bool warm = true; // the launch was made before: MALL has what it has room for
  // A line of code comes from L2 when a wave needs it, none before (toolchain.md: fetch runs ahead).
  bool fetch_on_demand = false;
  int code_conversion_clocks =
      clocks_per_issue; // of conversions to two FP8 or BF8 codes: not measured publicly (6.3)
  int byte_conversion_clocks = clocks_per_issue; // of v_cvt_pk_u8_f32: likewise
  int barrier_clocks = timing::barrier_clocks;   // a guess
  // The CUs of a chiplet begin apart, as they come to be over many rounds (latencies.hpp); else at the same clock.
  bool apart = false;
  bool slow_lds_dma = false; // what LDS DMA brings takes the LDS twice as long as what waves write: a guess
};

} // namespace fmha950::timing
