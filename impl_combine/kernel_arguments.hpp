#pragma once
// What the host hands to the kernels of this folder, by value. Host and device include this file, so it holds
// fixed-width types only.

#include <stdint.h>

namespace fmha950::combine {

constexpr int threads = 256;
constexpr int columns_of_lane = 8;    // 16 bytes of 16-bit elements
constexpr int most_columns = 512;     // a wave has a row then
constexpr uint32_t parts_at_once = 4; // whose loads are under way together

// In rows of partial_output, or in numbers of partial_lse.
struct Strides {
  uint32_t part, token, head;
};

struct CombineArguments {
  const void* partial_output;
  const float* partial_lse;
  void* output; // [tokens, heads, columns]
  float* lse;   // [tokens, heads] natural log, or null
  Strides output_rows, lses;
  uint32_t parts;
  uint32_t rows; // tokens * heads
  uint32_t heads;
  uint32_t chunks;      // columns / columns_of_lane
  uint32_t lanes_shift; // log2 of the lanes that share a row: the next power of two to `chunks`
  float binary;         // log2 of the partial LSEs' base
  float natural;        // its natural logarithm
};

} // namespace fmha950::combine
