#pragma once
// Where a K or V tile of 64 rows x 256 bytes lies in LDS. Pure arithmetic, shared with the test that counts
// bank conflicts against the measured phases (data/calibration/lds_phases.csv).
//
// LDS DMA writes 64 lanes x 16 bytes in a row: one instruction fills one strip of four rows, so only what a
// lane reads from memory can be permuted, not where it lands.
// Strip i holds rows i % 4 + 16 (i / 4) + {0, 4, 8, 12}, and strips lie 1088 = 1024 + 64 bytes apart:
// four consecutive rows start 16 banks apart. Within a row, 16-byte chunk c lies at place c ^ (row / 4 % 4).
// Both reads are then free of conflicts, with one swizzle for K and V:
//   - K, 16 bytes per lane of one column chunk:
//     any 16 rows that differ modulo 16 meet 16 different chunks of banks;
//   - V, transposed, 4 consecutive rows x 64 bytes per half wave: each of the four rows has its own quarter.
// All but the lane's own place is an immediate offset of the instruction.

#include <stdint.h>

namespace fmha950::prepass {

struct TileLayout {
  static constexpr uint32_t rows = 64;
  static constexpr uint32_t strips = 16;
  static constexpr uint32_t strip_bytes = 1024 + 64;
  static constexpr uint32_t bytes = strips * strip_bytes;

  static constexpr uint32_t strip_of(uint32_t row) { return row % 4 + 4 * (row / 16); }
  // Row that lane `lane` of the DMA instruction of `strip` fetches, and which of its 16-byte chunks.
  static constexpr uint32_t row_of(uint32_t strip, uint32_t lane) {
    return strip % 4 + 16 * (strip / 4) + 4 * (lane / 16);
  }
  static constexpr uint32_t chunk_of(uint32_t lane) { return (lane % 16) ^ (lane / 16); }

  static constexpr uint32_t offset(uint32_t row, uint32_t chunk) {
    return strip_of(row) * strip_bytes + row / 4 % 4 * 256 + (chunk ^ (row / 4 % 4)) * 16;
  }
};

// The columns of K past the 128th, 64 of them, as a tile of their own of 64 rows x 128 bytes. A strip holds the rows that
// the wave fetches for strips i and i + 8 above, which are 32 apart, so that a lane has the slot of its row already. Chunk c
// lies at place c ^ (row / 4 % 4) here, too: 16 rows that differ modulo 16 are free of conflicts.
struct NarrowTileLayout {
  static constexpr uint32_t rows = 64;
  static constexpr uint32_t strips = 8;
  static constexpr uint32_t strip_bytes = TileLayout::strip_bytes;
  static constexpr uint32_t bytes = strips * strip_bytes;

  static constexpr uint32_t strip_of(uint32_t row) { return row % 4 + 4 * (row / 16 % 2); }
  // Of the rows of strips i and i + 8: the upper one's.
  static constexpr bool is_upper(uint32_t lane) { return lane / 8 % 2 != 0; }
  static constexpr uint32_t row_of(uint32_t strip, uint32_t lane) {
    return TileLayout::row_of(strip, lane) + (is_upper(lane) ? 32 : 0);
  }
  static constexpr uint32_t chunk_of(uint32_t lane) { return (lane % 8) ^ (lane / 16); }

  static constexpr uint32_t offset(uint32_t row, uint32_t chunk) {
    return strip_of(row) * strip_bytes + row / 4 % 4 * 256 + row / 32 * 128 + (chunk ^ (row / 4 % 4)) * 16;
  }
};

} // namespace fmha950::prepass
