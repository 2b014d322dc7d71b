#pragma once
// What the host hands to the kernels of sparse_prefill: one plain struct each, by value. Host and device
// include this file, so it holds fixed-width types only.

#include <stdint.h>

namespace fmha950::prepass::sparse {

constexpr int head_dim = 512, nope_columns = 448; // the rest are ROPE columns
constexpr int row_bytes = 1024;                   // of a row of 512 bf16
constexpr int heads_per_block = 16;               // lanes that own a head each
constexpr int dequantise_threads = 256, dequantised_rows_per_wave = 4;

// Attention over rows of 512 bf16, which are keys and values both.
struct AttentionArguments {
  const void* q; // [tokens, heads, 512]
  const void *pool, *chunk;
  const int32_t *prefix_indptr, *prefix_indices; // [tokens + 1], rows of the pool
  const int32_t *extend_indptr, *extend_indices; // [tokens + 1], rows of the chunk
  const float* sink_logit;                       // [heads] or null
  void* output;                                  // bf16 [tokens, heads, 512]
  float* lse;                                    // [tokens, heads] or null
  uint32_t heads;
  float score_scale; // softmax scale * log2(e)
};

// fp8 rows to bf16, consecutive rows of the destination by a wave.
struct RowsToDequantise {
  const void *nope, *rope; // sparse_tensors.hpp says how rows are stored
  const float* scale;      // [*, 7] of the split format
  const int32_t* rows;     // [count] that are wanted, each once, or null: row n is row n
  void* destination;       // bf16 [count, 512]
  uint32_t count;
};
constexpr uint32_t dequantise_workgroups(uint32_t rows) {
  constexpr uint32_t of_workgroup = dequantise_threads / 64 * dequantised_rows_per_wave;
  return (rows + of_workgroup - 1) / of_workgroup;
}

// Whole workgroups of each, in this order.
struct DequantiseArguments {
  RowsToDequantise rows[3]; // of Q, pool and chunk
};

} // namespace fmha950::prepass::sparse
