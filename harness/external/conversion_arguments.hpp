#pragma once
// What the host hands to the kernels of conversions.hip. Host and device include this file, so it holds fixed-width types
// only. Strides are in elements.

#include <stdint.h>

namespace fmha950::harness::external {

constexpr int conversion_threads = 256;
constexpr int conversion_axes = 4;

enum class ConvertedType : uint32_t { fp8, bf16, fp16, fp32, int32 };

// A tensor in another order, type or unit: to[i] = from[i] * scale. A thread takes `run` elements of the last axis.
struct ArrangeArguments {
  const void* from;
  void* to;
  uint32_t shape[conversion_axes];
  int64_t from_stride[conversion_axes], to_stride[conversion_axes];
  uint64_t runs; // of the whole tensor
  uint32_t run;
  float scale;
  ConvertedType from_type, to_type;
};

struct GatheredRequest {
  int32_t key_length, table_begin;
  int64_t to_row; // of its first key
};

// K or V of every request from its pages, as rows [keys, KV heads, D]. The grid's y is the request.
struct GatherArguments {
  const void* pool;
  void* to;
  const GatheredRequest* requests;
  const int32_t* page_ids;
  const float* descale; // [pages, KV heads], or null
  int64_t page_stride;  // of the pool
  int64_t slot_stride, head_stride, column_chunk_stride, column_stride, slot_chunk_stride;
  uint32_t column_chunk, slot_chunk; // columns, or slots, that lie together in a VECTORIZED pool
  uint32_t page_size, kv_heads, head_dim;
  float scale;
  ConvertedType from_type, to_type;
};

struct TableRow {
  int32_t from, pages; // entries of the table there is
  int64_t to;
  int32_t length; // entries that are wanted
};

// A page table in the other convention. The grid's y is the request. Past the request's pages: `fill`, or its last page.
struct PageTableArguments {
  const int32_t* page_ids;
  int32_t* to;
  const TableRow* rows;
  int32_t fill;
  uint32_t repeat_last;
};

} // namespace fmha950::harness::external
