#pragma once
// What a workgroup of an attention kernel computes. Host and device include this file, so it holds
// fixed-width types only.

#include "attention/tile.hpp"

#include <stdint.h>

namespace fmha950::attention {

// A tile of query rows of one request and KV head, over a range of its key tiles. Row r of a request is query
// r / G and head r % G of the G query heads that share the KV head, so that its keys and values are read
// once. Each wave of the workgroup has rows_per_wave of the tile's rows.
struct WorkItem {
  int32_t query_begin; // first row of the request in q and output
  int32_t query_length;
  int32_t key_length;
  int32_t table_begin; // first entry of the request in the kernel's table of pages
  int32_t kv_head;
  int32_t first_row;
  int32_t first_tile, end_tile; // key tiles [first, end): those that some row of the tile sees
  int32_t part;                 // where its results go if others share its rows (key split), else 0
};

// A key j is seen by query i of a request when a - left <= j <= a + right, a = Lk - Lq + i (DESIGN.md section
// 2). Sums with lengths stay inside int32.
struct MaskWindow {
  int32_t left, right;
};

} // namespace fmha950::attention
