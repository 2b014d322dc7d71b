#pragma once
// How long one wave's LDS instruction keeps the LDS busy: its lanes are served in phases of a clock, and two
// lanes of a phase that want different dwords of a bank take turns. Source: data/calibration/lds_phases.csv
// [M] for b64, b96 and b128 reads and b64 writes; the other widths follow from the banks, as many bytes a
// phase (guess): 64 banks of 4 bytes for reads, 32 for writes (machine_gfx950.md 3.3, "take 256 for reads,
// 128 for writes" [I]).

#include <cstdint>

namespace fmha950::timing {

struct LdsPhases {
  int phases = 0;    // clocks without conflicts
  int conflicts = 0; // clocks more: what the counter SQ_LDS_BANK_CONFLICT counts
  int clocks() const { return phases + conflicts; }
};

enum class LdsDirection : uint8_t { read, write };

// Phases of all lanes: clocks without conflicts. `bytes` of a lane: 1 to 16.
int lds_clocks(LdsDirection direction, int bytes);

// `addresses` of 64 lanes, to which `offset` is added; those not in `lanes` take no part.
LdsPhases lds_phases(LdsDirection direction, int bytes, const uint32_t* addresses, uint64_t lanes,
                     uint32_t offset = 0);

// The phase in which a lane is served.
int lds_phase_of(LdsDirection direction, int bytes, int lane);

} // namespace fmha950::timing
