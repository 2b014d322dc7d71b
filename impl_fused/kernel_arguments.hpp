#pragma once
// What the host hands to the kernels of this folder: one plain struct, by value. Host and device include this
// file, so it holds fixed-width types only.

#include "attention/tile.hpp"
#include "attention/work_item.hpp"

#include <stdint.h>

namespace fmha950::fused {

constexpr int head_dim = 128; // columns
constexpr int waves = 4;
constexpr int threads = waves * gfx950::wave_lanes;
constexpr int rows_per_tile = attention::rows_of_workgroup(threads);
using attention::fp8_shift;
using attention::keys_per_tile;

// Strides in bytes. K and V pools are alike: [pages, page, Hkv, 128], a byte or half a byte each.
struct AttentionArguments {
  const attention::WorkItem* work; // table_begin counts in `table`
  const uint8_t* q;                // [total_q, Hq, 128]
  const uint8_t* k_pool;
  const uint8_t* v_pool;
  // Scales of 4 bytes. MX, E8M0: of Q [total_q, Hq, 4] and K [pages, page, Hkv, 4], of V [pages, page / 32,
  // Hkv, 128] in kernels that scale V. Descales of pages, fp32: of K and V [pages, Hkv].
  const uint8_t* q_scale;
  const uint8_t* k_scale;
  const uint8_t* v_scale;
  const int32_t* table; // page ids: SGLang's kv_page_indices or vLLM's block_table
  void* output;         // [total_q, Hq, 128] bf16
  float* lse;           // [total_q, Hq] natural log, or null
  uint32_t page_stride;
  uint32_t row_stride;        // from token to token
  uint32_t scale_page_stride; // of K's scales and of V's
  uint32_t page_shift;        // log2 of the page size
  uint32_t kv_heads;
  uint32_t query_heads;
  uint32_t heads_per_kv_head;
  attention::MaskWindow window;
  float score_scale; // softmax scale * log2(e) * descales of Q and of K per tensor
  float value_scale; // descale of V where it is per tensor, else 1
};

} // namespace fmha950::fused
