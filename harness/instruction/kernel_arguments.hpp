#pragma once
// What the host hands to the kernels of this folder: one plain struct each, by value. Host and device include
// this file, so it holds fixed-width types only.

#include <stdint.h>

namespace fmha950::instruction {

// A row of the sparse format: 448 fp8 columns without and 64 bf16 columns with a rotary embedding. As in the
// packed format a row of fp8 is 512 bytes and has one E8M0 scale per 32 columns; what is beyond the columns
// and their scales holds NaN.
constexpr int tile_rows = 16;
constexpr int nope_columns = 448, nope_row_bytes = 512;
constexpr int scale_columns = 32, scale_row_bytes = 16;
constexpr int rope_columns = 64;

struct TileOperand {
  const uint8_t* nope;   // [tile_rows][nope_row_bytes]
  const uint8_t* scales; // [tile_rows][scale_row_bytes]
  const uint16_t* rope;  // [tile_rows][rope_columns], bf16
};

struct MfmaTileArguments {
  TileOperand q, k;
  float* scores; // [tile_rows][tile_rows], of row (q) and column (k)
  uint32_t with_rope;
};

struct ScaleOperandArguments { // one wave, that is one instruction, for each problem
  const uint32_t* a;           // [64 lanes][8]
  const uint32_t* b;
  const uint32_t* a_scales; // [problems][64 lanes]
  const uint32_t* b_scales;
  float* d; // [problems][registers][64 lanes]
  uint32_t a_byte, b_byte;
};

// LDS as the request finds it: words 0xA5000000 + i. The wave's slots begin at word `lds_guard`.
constexpr int lds_guard = 16, lds_words = 256 + 2 * lds_guard;
constexpr uint32_t lds_before = 0xA5000000;

struct LdsDmaArguments {
  const uint8_t* source;
  const uint32_t* offsets; // [64 lanes] into the source, bytes
  uint32_t* lds;           // [lds_words], what LDS holds afterwards
  uint64_t active;         // the lanes that ask
  uint32_t bytes;          // of the source, as its buffer says
};

} // namespace fmha950::instruction
