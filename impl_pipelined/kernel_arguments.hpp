#pragma once
// What the host hands to the kernels of this folder: one plain struct each, by value. Host and device include
// this file, so it holds fixed-width types only.

#include "attention/tile.hpp"
#include "attention/work_item.hpp"

#include <stdint.h>

namespace fmha950::pipelined {

constexpr int head_dim = 128; // columns, one byte each
constexpr int prefill_threads = 512;
constexpr int rows_per_tile = attention::rows_of_workgroup(prefill_threads);
using attention::fp8_shift;
using attention::keys_per_tile;
constexpr int combine_threads = 256;
constexpr int combine_blocks = combine_threads / gfx950::wave_lanes; // of eight rows, one for each wave

// All strides in bytes. K and V pools are alike: [pages, page, Hkv, 128].
struct PrefillArguments {
  const attention::WorkItem* work;
  const uint8_t* q; // [total_q, Hq, 128]
  const uint8_t* k_pool;
  const uint8_t* v_pool;
  // Pages of all requests; WorkItem.table_begin counts in it (contiguous kernels: in pages).
  const int32_t* table;
  const float* k_descale; // [pages, Hkv], page-descale kernels only
  const float* v_descale;
  void* output;          // [total_q, Hq, 128] bf16
  float* lse;            // [total_q, Hq] natural log, or null
  float* partial_output; // key split: normalised, as partial_rows.hpp says; null: keys are not split
  float* partial_lse;    // base 2, -inf where a part sees nothing
  uint64_t page_stride;
  uint64_t pool_bytes;
  uint32_t row_stride; // from token to token
  uint32_t page_shift; // log2 of the page size
  uint32_t kv_heads;
  uint32_t query_heads;
  uint32_t heads_per_kv_head;
  attention::MaskWindow window;
  // Softmax scale * descales * log2(e), times 2 / cap where there is a soft cap (gfx950::soft_capped).
  // Page-descale kernels multiply it by the page's K descale.
  float score_scale;
  float cap_outer;   // cap * log2(e)
  float value_scale; // descale of V where it is per tensor, else 1
};

// A block of rows to be joined: those of one request and KV head, from `first_row` on.
struct CombineItem {
  uint32_t query_begin; // first row of the request in the output
  uint32_t kv_head;
  uint32_t first_row, end_row; // none from end_row on
  uint32_t block;              // of the first part
  uint32_t block_stride;       // from part to part
  uint32_t parts;
};

struct CombineArguments {
  const CombineItem* items;
  uint32_t blocks;     // as many as items
  uint32_t workgroups; // of the launch
  const float* partial_output;
  const float* partial_lse;
  void* output;
  float* lse; // or null
  uint32_t query_heads;
  uint32_t heads_per_kv_head;
};

} // namespace fmha950::pipelined
