#pragma once
// How rows of a tile lie in LDS. Pure arithmetic, shared with the test that counts bank conflicts.

#include <stdint.h>

namespace fmha950::fused::sparse {

// A tile is two parts of 16 rows. A part is a list of strips: four chunks of 16 bytes of all its rows, 1024
// bytes, row after row. A DMA instruction, 64 lanes x 16 bytes, brings a strip: four lanes fetch 64 bytes of
// a row, which are part of one line of memory, and a lane has the same row in every strip: one look-up and
// one address a tile.
//
// Within its strip, chunk c of row i has place c ^ swizzle(i). Four rows are all banks, so that rows i, i +
// 4, i + 8, i + 12 share theirs. They need four places when rows are read (16 bytes a lane; the inner two of
// the rows that are served together, lds_phases.csv, are read a chunk further on). When two chunks of 8 rows
// are read transposed, rows i and i + 4 need different pairs of places, and so do rows i + 8 and i + 12.
struct Part {
  static constexpr uint32_t rows = 16, row_chunk = 16;
  static constexpr uint32_t strip_chunks = 4, strip_bytes = strip_chunks * rows * row_chunk;
  static constexpr uint32_t swizzle(uint32_t row) { return (row / 4 % 2 * 2) ^ (row / 8 * 3); }
  static constexpr uint32_t place(uint32_t row, uint32_t chunk) {
    return chunk / strip_chunks * strip_bytes +
           (row * strip_chunks + (chunk % strip_chunks ^ swizzle(row))) * row_chunk;
  }
  // place(row, c ^ chunk) = place(row, c) ^ flip(chunk) for a chunk of the strip.
  static constexpr uint32_t flip(uint32_t chunk) { return chunk * row_chunk; }
  // Bank offset between two parts. With it, eight rows of this part and the next read one
  // chunk each without conflicts.
  static constexpr uint32_t shift = row_chunk;
  // What lane `lane` of any strip fetches.
  static constexpr uint32_t row_of(uint32_t lane) { return lane / strip_chunks; }
  static constexpr uint32_t chunk_of(uint32_t lane) { return lane % strip_chunks ^ swizzle(row_of(lane)); }
};

// How a part's scales lie in LDS, fp32: four rows of one scale block (columns that share a scale) are 16 bytes,
// which a lane of the second product reads, and four blocks of all rows 256, which a DMA instruction of 4 bytes
// a lane brings, its quarters from four rows each. place(row, block) = of_row(row) + of_block(block).
struct PartScales {
  static constexpr uint32_t load_blocks = 4, load_bytes = load_blocks * Part::rows * 4;
  static constexpr uint32_t of_row(uint32_t row) { return row / 4 * 64 + row % 4 * 4; }
  static constexpr uint32_t of_block(uint32_t block) {
    return block / load_blocks * load_bytes + block % load_blocks * 16;
  }
  // What lane `lane` of any load fetches.
  static constexpr uint32_t row_of(uint32_t lane) { return lane / 16 * 4 + lane % 4; }
  static constexpr uint32_t block_of(uint32_t lane) { return lane % 16 / 4; } // of the load
};

} // namespace fmha950::fused::sparse
