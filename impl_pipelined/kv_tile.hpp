#pragma once
// Where a K or V tile of 64 rows x 128 bytes lies in LDS. Pure arithmetic, shared with the test that counts
// bank conflicts against the measured phases (data/calibration/lds_phases.csv).
//
// LDS DMA writes 64 lanes x 16 bytes in a row: one instruction fills a strip of eight rows, so only what a
// lane reads from memory can be permuted, not where it lands. Two rows fill the 64 banks. Within row r,
// 16-byte chunk c lies at place c ^ swizzle(r), and both reads are free of conflicts, with one swizzle for K
// and V:
//   - K: 16 bytes per lane, of one chunk. Any 16 rows that differ modulo 16 meet 16 different places:
//     bit 0 of the row chooses the half, bits 1 to 3 choose the place in it.
//
//   - V, transposed: the rows 0-3 and 8-11 (or 4-7 and 12-15) modulo 16, of two neighbouring chunks.
//     Bits 1 and 3 of the row choose among pairs of chunks; bit 2 chooses
//     only within a pair.

#include <stdint.h>

namespace fmha950::pipelined {

struct KvTile {
  static constexpr uint32_t rows = 64;
  static constexpr uint32_t row_bytes = 128;
  static constexpr uint32_t bytes = rows * row_bytes;
  static constexpr uint32_t strip_rows = 8;
  static constexpr uint32_t strip_bytes = strip_rows * row_bytes;

  static constexpr uint32_t swizzle(uint32_t row) {
    return (row >> 3 & 1) << 2 | (row >> 1 & 1) << 1 | (row >> 2 & 1);
  }
  static constexpr uint32_t offset(uint32_t row, uint32_t chunk) {
    return row * row_bytes + (chunk ^ swizzle(row)) * 16;
  }
  // Row that lane `lane` of the DMA instruction of `strip` fetches, and which of its 16-byte chunks.
  static constexpr uint32_t row_of(uint32_t strip, uint32_t lane) { return strip * strip_rows + lane / 8; }
  static constexpr uint32_t chunk_of(uint32_t strip, uint32_t lane) {
    return lane % 8 ^ swizzle(row_of(strip, lane));
  }

  // The four tiles of a workgroup, all of its LDS.
  static constexpr uint32_t k_tile(uint32_t parity) { return parity * bytes; }
  static constexpr uint32_t v_tile(uint32_t parity) { return (2 + parity) * bytes; }
  static constexpr uint32_t lds_bytes = 4 * bytes;
};

} // namespace fmha950::pipelined
