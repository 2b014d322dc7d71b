#pragma once
// Where a K step of a tile's operands lies in LDS:
// for each of A and B two halves of 128 rows x 128 bytes, twice. Pure arithmetic, shared with the test
// that counts bank conflicts against the measured phases (data/calibration/lds_phases.csv).
//
// LDS DMA writes 64 lanes x 16 bytes in a row: one instruction fills a strip of eight rows, so only what a
// lane reads from memory can be permuted. Two rows span the 64 banks, and within its row 16-byte chunk c lies
// at place c ^ (row / 2 % 8). The 16 lanes of a phase of ds_read_b128 hold rows that all differ modulo 16;
// where the operand's lanes 16 to 31 read the neighbouring chunk (c ^ 1), places differ still.

#include "calibration/gemm_arguments.hpp"

namespace fmha950::calibration {

enum Operand { operand_a, operand_b };

struct HalfTile {
  static constexpr uint32_t rows = tile_edge / 2;
  static constexpr uint32_t bytes = rows * step_bytes;
  static constexpr uint32_t strip_rows = 8;
  static constexpr uint32_t strip_bytes = strip_rows * step_bytes;
  static constexpr uint32_t strips = rows / strip_rows;

  static constexpr uint32_t swizzle(uint32_t row) { return row / 2 % 8; }
  static constexpr uint32_t place(uint32_t row, uint32_t chunk) {
    return row * step_bytes + (chunk ^ swizzle(row)) * 16;
  }

  // What lane `lane` of the DMA instruction of `strip` fetches.
  static constexpr uint32_t row_of(uint32_t strip, uint32_t lane) { return strip * strip_rows + lane / 8; }
  static constexpr uint32_t chunk_of(uint32_t strip, uint32_t lane) {
    return lane % 8 ^ swizzle(row_of(strip, lane));
  }
};

struct LdsLayout {
  static constexpr uint32_t half_tile(Operand operand, uint32_t half) {
    return (operand * 2 + half) * HalfTile::bytes;
  }
  static constexpr uint32_t parity = 4 * HalfTile::bytes; // from one K step to the next and back
  static constexpr uint32_t bytes = 2 * parity;
};

} // namespace fmha950::calibration
