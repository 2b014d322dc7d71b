#pragma once
// What the host hands to the kernels of this folder: one plain struct each, by value. Host and device include
// this file, so it holds fixed-width types only.

#include "attention/tile.hpp"
#include "attention/work_item.hpp"

#include <stdint.h>

namespace fmha950::prepass {

constexpr int head_dim = 128;      // columns of V and the output, and of Q and K where they have no more
constexpr int mla_key_dim = 192;   // of Q and K, in the prefill of multi-head latent attention
constexpr int row_bytes = 256;     // of one scratch row: 128 columns of 16 bits
constexpr int mla_row_bytes = 384; // of K where it has 192
constexpr int attention_threads = 512;
constexpr int rows_per_tile = attention::rows_of_workgroup(attention_threads);
using attention::keys_per_tile;
constexpr int relayout_threads = 256;

// Which elements of a row share an E8M0 exponent.
enum class Exponents : uint32_t {
  none,
  per_32_columns, // of every row: [pages, page, Hkv, 4]
  per_32_rows,    // of every column: [pages, page / 32, Hkv, 128]
};

// Kernel one, launched once for K and once for V. Scratch: [Hkv, slots, 2^slot_shift, columns] of 16 bits; slot s holds
// the rows of pool page pages[s] from first_rows[s] on. All strides in bytes.
struct RelayoutArguments {
  const void* pool;
  void* scratch;
  const int32_t* pages;       // [slots], the pages that the batch touches, each once, or each of their blocks
  const uint32_t* first_rows; // [slots]
  const uint8_t* exponents;
  const float* descale; // [pages, Hkv] or null
  float* slot_descale;  // [Hkv, slots], filled when descale is given: what is left for kernel two to apply
  uint64_t page_stride;
  uint32_t head_stride;
  uint32_t row_stride; // unused by the transposing kernels
  // Between 16-byte pieces of a row; transposing: between blocks of 16 bytes' worth of rows.
  uint32_t chunk_stride;
  uint32_t slots;
  uint32_t kv_heads;
  uint32_t slot_shift; // log2 of the rows of a slot
  uint32_t page_size;  // rows of a page
  Exponents exponent_axis;
  uint32_t split_descale; // put into the values what of the descale they can take exactly
};

enum class QueryFormat : uint32_t { plain, fp8 }; // plain: the kernel's own 16-bit type

// Kernel two.
struct AttentionArguments {
  const attention::WorkItem* work; // table_begin counts in `slots`
  const void* q;                   // [total_q, Hq, columns of K]
  const uint32_t* q_exponents;     // four E8M0 per row of q, or null
  const void* k;                   // scratch of kernel one
  const void* v;
  const float* k_slot_descale; // [Hkv, slots], for the page-descale variant
  const float* v_slot_descale;
  const int32_t* slots; // per request, the scratch slot of each of its pages, each below slot_count
  void* output;         // [total_q, Hq, 128] of the kernel's 16-bit type
  float* lse;           // [total_q, Hq] or null
  uint32_t slot_count;
  uint32_t page_shift; // log2 of the rows of a slot
  uint32_t query_heads;
  uint32_t heads_per_kv_head;
  QueryFormat query_format;
  attention::MaskWindow window;
  float score_scale; // softmax scale * log2(e) * descales of Q and of K where it is per tensor
  float value_scale; // descale of V where it is per tensor, else 1
};

} // namespace fmha950::prepass
