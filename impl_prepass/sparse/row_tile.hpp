#pragma once
// Where a tile of rows of 512 bf16 lies in LDS: keys of S^T = K Q^T and values of O^T = V^T P^T at once. Pure
// arithmetic, shared with the test that counts bank conflicts.
//
// Row after row, as LDS DMA writes them: one instruction of 64 lanes x 16 bytes is a row. Within its row,
// chunk c (16 bytes) lies at place c ^ swizzle(row). With the quarters of a wave, 16 lanes each, numbered g:
//   K  lane l reads chunk 4 s + g of row l % 16. Lanes that are served together
//      (data/calibration/lds_phases.csv) have 16 different rows, half of them of the neighbouring g:
//      the rows whose bits 2 and 3 differ.
//   V  lane l reads half of chunk 2 b or 2 b + 1 of row 4 g + l % 16 / 4, transposed: half a wave has 8 rows.
// Row bits 0, 1, 2 go to chunk bits 1, 2, 3, so that 8 rows x 2 chunks are 16 places, all the 64 banks; bit 3
// goes to chunk bits 0 and 3: to bit 0 alone, the neighbouring g of K would take the place of another row.

#include <stdint.h>

namespace fmha950::prepass::sparse {

template <int ROWS> struct RowTile {
  static constexpr uint32_t rows = ROWS;
  static constexpr uint32_t row_bytes = 1024;
  static constexpr uint32_t bytes = rows * row_bytes;

  static constexpr uint32_t swizzle(uint32_t row) { return (row & 7) << 1 ^ (row >> 3 & 1) * 9; }
  static constexpr uint32_t place(uint32_t row, uint32_t chunk) {
    return row * row_bytes + (chunk ^ swizzle(row)) * 16;
  }
  // Which chunk of its row a lane of the DMA instruction fetches.
  static constexpr uint32_t chunk_of(uint32_t row, uint32_t lane) { return lane ^ swizzle(row); }

  // place(row, c | chunk) = place(row, c) ^ flip(chunk) where no bit is in both; chunks that are multiples of
  // 16, and rows that are, may be added instead.
  static constexpr uint32_t flip(uint32_t chunk) { return chunk * 16; }
};

} // namespace fmha950::prepass::sparse
