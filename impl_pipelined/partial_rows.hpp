#pragma once
// Key split: where prefill.hip leaves what a part found of its rows, and combine.hip reads it. Pure
// arithmetic, shared with the host and with the tests.
//
// Eight consecutive rows of a tile are a block; those of a part follow one another, and the parts of a tile.
// In a block 16 bytes of each row, a chunk, lie side by side: where a lane has a row, eight lanes write or
// read 128 bytes, a line.

#include "impl_pipelined/kernel_arguments.hpp"

namespace fmha950::pipelined {

struct PartialRows {
  static constexpr uint32_t rows_of_block = 8;
  static constexpr uint32_t chunk_columns = 4;
  static constexpr uint32_t chunk_stride = rows_of_block * chunk_columns; // in floats, from chunk to chunk
  static constexpr uint32_t block_floats = rows_of_block * head_dim;

  static constexpr uint32_t blocks(uint32_t rows) { return (rows + rows_of_block - 1) / rows_of_block; }
  // Places in the partial outputs and LSEs. `block` is that of row 0.
  static constexpr uint64_t output(uint32_t block, uint32_t row, uint32_t chunk) {
    return uint64_t{block + row / rows_of_block} * block_floats + chunk * chunk_stride +
           row % rows_of_block * chunk_columns;
  }
  static constexpr uint64_t lse(uint32_t block, uint32_t row) {
    return uint64_t{block} * rows_of_block + row;
  }
};

} // namespace fmha950::pipelined
