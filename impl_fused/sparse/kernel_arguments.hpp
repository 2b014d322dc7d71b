#pragma once
// What the host hands to the kernels of sparse_prefill: one plain struct, by value. Host and device include
// this file, so it holds fixed-width types only.

#include "attention/tile.hpp"

#include <stdint.h>

namespace fmha950::fused::sparse {

constexpr int head_dim = 512, nope_columns = 448, rope_columns = 64;
constexpr int waves = 4;
constexpr int threads = waves * gfx950::wave_lanes;
constexpr int keys_per_tile = 32;
constexpr int heads_per_block = 16; // lanes of a matrix instruction that own a head each
using attention::fp8_shift;         // by which P is raised, whose largest value is 2^0.8

// fp8 rows as operators/sparse_prefill/sparse_tensors.hpp says; `scale` is null in the packed format.
struct Rows {
  const uint8_t *nope, *rope;
  const float* scale;
};

struct Arguments {
  Rows q, pool, chunk;
  const int32_t *prefix_indptr, *prefix_indices; // [tokens + 1], rows of the pool
  const int32_t *extend_indptr, *extend_indices; // [tokens + 1], rows of the chunk
  const int32_t* tokens;                         // of workgroup x: the longest lists first
  const float* sink_logit;                       // [heads] or null
  void* output;                                  // bf16 [tokens, heads, 512]
  float* lse;                                    // [tokens, heads] or null
  uint32_t heads;
  float score_scale; // softmax scale * log2(e)
};

} // namespace fmha950::fused::sparse
