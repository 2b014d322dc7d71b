#pragma once
// What public sources leave open and what decides most: figures are shown for the other choices too.

namespace fmha950::timing {

struct Assumptions {
  bool lds_reads_128 = false; // 128 bytes per clock instead of 256 (machine_gfx950.md 3.3)
  bool slow_exp = false;      // transcendentals take 16 clocks instead of 8 (6.3)
  // An MFMA takes its SIMD's VALU slot for 4 clocks (6.2, 6.3: unclear on CDNA4).
  bool mfma_in_valu_slot = false;
  bool translation =
      false;        // a CU's translations have a limited reach (latencies.hpp); else each address is known
  bool warm = true; // the launch was made before: MALL has what it has room for
};

} // namespace fmha950::timing
