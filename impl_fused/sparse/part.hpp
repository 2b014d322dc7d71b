#pragma once
// How rows of a tile lie in LDS. Pure arithmetic, shared with the test that counts bank conflicts.

#include <stdint.h>

namespace fmha950::fused::sparse {

// A tile is two parts of 16 rows. A part is a list of chunks of 16 bytes a row: chunk c of its 16 rows is 256
// bytes in a row, row i in place i, or i ^ 12 where c is odd. A DMA instruction, 64 lanes x 16 bytes, so
// brings four chunks of all 16 rows, and a lane has the same row in every one of them: one look-up and one
// address a tile. Rows are read (16 bytes a lane, 16 rows) and read transposed (8 rows x 2 chunks) without
// bank conflicts.
struct Part {
  static constexpr uint32_t rows = 16, row_chunk = 16, chunk_bytes = rows * row_chunk;
  static constexpr uint32_t strip_chunks = 4, strip_bytes = strip_chunks * chunk_bytes;
  static constexpr uint32_t place(uint32_t row, uint32_t chunk) {
    return chunk * chunk_bytes + (row ^ chunk % 2 * 12) * row_chunk;
  }
  // By which a part begins further on in the banks than the one before: half of them, so that eight rows of
  // one part and of the next are read without conflicts.
  static constexpr uint32_t shift = chunk_bytes / 2;
  // What lane `lane` of any strip fetches.
  static constexpr uint32_t row_of(uint32_t lane) { return lane % rows ^ lane / rows % 2 * 12; }
  static constexpr uint32_t chunk_of(uint32_t lane) { return lane / rows; } // of the strip
};

} // namespace fmha950::fused::sparse
