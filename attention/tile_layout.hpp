#pragma once
// Where a tile of 64 rows lies in LDS. Pure arithmetic, shared with the test that counts bank conflicts
// against the measured phases (data/calibration/lds_phases.csv).
//
// A row is ROW_BYTES = 64 to 512 bytes, a power of two or three times one, in chunks of 16. Rows follow one another without padding, as LDS DMA
// writes them: 64 lanes x 16 bytes in a row are one strip. Within its row, chunk c lies at place c ^ x(row),
// where x is the bit-reversed row modulo 16, cut to the row's chunks; of three times a power of two, to a third of them:
// there the rows' own strides spread them over the banks as x's upper bits do elsewhere. Then
//   - any 16 rows that differ modulo 16 have one chunk in 16 different quads of the 64 banks: K, 16 bytes a
//   lane;
//   - 4 aligned rows have 4 aligned chunks in 16 different quads: V in 16 bits, transposed;
//   - 8 aligned rows have 2 aligned chunks in 16 different quads: V in fp8, transposed.
// x is linear over XOR, so that what is known to the compiler of a place is one XOR and one immediate offset.

#include <stdint.h>

namespace fmha950::attention {

template <int ROW_BYTES> struct TileLayout {
  static constexpr uint32_t rows = 64;
  static constexpr uint32_t row_chunks = ROW_BYTES / 16;
  static constexpr uint32_t bytes = rows * ROW_BYTES;
  static constexpr uint32_t strip_bytes = 1024;
  static constexpr uint32_t strips = bytes / strip_bytes;

  static constexpr uint32_t swizzled_chunks = row_chunks & (0 - row_chunks); // XOR stays among so many

  static constexpr uint32_t swizzle(uint32_t row) {
    const uint32_t reversed = (row & 1) << 3 | (row & 2) << 1 | (row & 4) >> 1 | (row & 8) >> 3;
    return reversed % swizzled_chunks;
  }
  static constexpr uint32_t place(uint32_t row, uint32_t chunk) {
    return row * ROW_BYTES + (chunk ^ swizzle(row)) * 16;
  }

  // What lane `lane` of the DMA instruction of `strip` fetches.
  static constexpr uint32_t row_of(uint32_t strip, uint32_t lane) { return (strip * 64 + lane) / row_chunks; }
  static constexpr uint32_t chunk_of(uint32_t strip, uint32_t lane) {
    return (strip * 64 % row_chunks + lane) % row_chunks ^ swizzle(row_of(strip, lane));
  }

  // place(r | row, c | chunk) = (place(r, c) ^ flip(row, chunk)) + offset(row, chunk) where no bit is in both.
  static constexpr uint32_t flip(uint32_t row, uint32_t chunk) {
    return (chunk % swizzled_chunks ^ swizzle(row)) * 16;
  }
  static constexpr uint32_t offset(uint32_t row, uint32_t chunk) {
    return row * ROW_BYTES + chunk / swizzled_chunks * swizzled_chunks * 16;
  }
};

// Rows of K enter the matrix product in this order, so that D, whose item r of lane l is row 8 (r / 4) + 4 (l
// / 32) + r % 4, gives every lane 16 consecutive keys: item r of block b is key 32 b + 16 (l / 32) + r.
constexpr uint32_t key_of_operand_row(uint32_t row) { return row / 4 % 2 * 16 + row / 8 * 4 + row % 4; }

} // namespace fmha950::attention
