#pragma once
// What the host hands to the kernels of this folder: one plain struct, by value. Host and device include this
// file, so it holds fixed-width types only.

#include "attention/page_blocks.hpp"
#include "attention/tile.hpp"
#include "attention/work_item.hpp"

#include <stdint.h>

namespace fmha950::baseline {

constexpr int waves = 4;
constexpr int threads = waves * gfx950::wave_lanes;
constexpr int rows_per_tile = attention::rows_of_workgroup(threads);
using attention::keys_per_tile;

// K and V as their pools hold them. Every key's row of one head is `head_dim * element bytes` in chunks of 16
// bytes. Strides in bytes; all but the pages' stay inside a page, below 2^32. They are K's: where V has fewer columns, its own
// are as much smaller.
struct Pools {
  const void* k;
  const void* v;
  uint32_t k_page_stride, v_page_stride;
  uint32_t head_stride;
  uint32_t k_row_stride;   // between keys of a page
  uint32_t k_chunk_stride; // between chunks of a key's row
  // V of a LINEAR or HND pool has K's strides;
  // VECTORIZED, it is chunks of keys of one column: [page / x, D, 16 bytes].
};

struct AttentionArguments {
  const attention::WorkItem* work; // table_begin counts in `table`
  const void* q;                   // [total_q, Hq, D]
  Pools pools;
  const float* k_descale; // [pages, Hkv], for the page-descale variants
  const float* v_descale;
  const int32_t* table;    // page ids: SGLang's kv_page_indices or vLLM's block_table
  const float* sink_logit; // [Hq], natural-log scores, or null
  void* output;            // [total_q, Hq, D of V]
  float* lse;              // [total_q, Hq] or null
  uint32_t page_shift;     // log2 of the page size
  uint32_t query_heads;
  uint32_t kv_heads;
  uint32_t heads_per_kv_head;
  attention::MaskWindow window;
  int32_t sink_tokens; // first keys that are visible beside the window
  // Scores in base 2 are <q, k> * score_scale,
  // with a soft cap tanh(<q, k> * cap_scale / (2 log2 e)) * score_scale.
  // `score_scale`: softmax scale * log2(e) * descales of Q and of K per tensor; with a soft cap c * log2(e).
  float score_scale;
  float cap_scale;   // 2 log2(e) / c * softmax scale * the same descales; 0: no soft cap
  float value_scale; // descale of V where it is per tensor, else 1
};

// Of kernels for pages that are no power of two: `page_shift` is that of a block.
struct BlockPageArguments : AttentionArguments {
  attention::PageBlocks pages;
};

// Draft trees of the requests' last queries and keys.
struct TreeNodes {
  const uint64_t* mask; // [total_q]: of a query that is a node, bit j says whether it sees node j
  int32_t most;         // of a request; fewer where it has fewer queries or keys
};

struct TreeArguments : AttentionArguments {
  TreeNodes tree;
};
struct TreeBlockPageArguments : BlockPageArguments {
  TreeNodes tree;
};

} // namespace fmha950::baseline
