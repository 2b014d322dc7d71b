#pragma once
// The host-side values of a sparse_prefill problem (DeepSeek-V4's layout): D = 512 columns are 448 NOPE and
// 64 ROPE. Rows of Q, of the pool and of the chunk are stored alike:
//
//   kv=bf16   nope   bf16 [rows, 512], all columns; rope and scale are empty
//   split     nope   fp8  [rows, 448]
//             rope   bf16 [rows, 64]
//             scale  fp32 [rows, 7], powers of two, one per 64 columns
//   packed    nope   fp8  [rows, 512]: 448 columns, from byte 448 on fourteen E8M0 scales, one per 32
//                    columns, and 50 bytes of padding that may hold poison
//             rope   bf16 [rows, 64]; scale is empty
//
// A NOPE column is x = x_fp8 * scale; ROPE columns have none. Row t * Hq + h of Q is token t, query head h.
//
// Lists: token t attends rows prefix_indices[prefix_indptr[t]] to prefix_indices[prefix_indptr[t + 1] - 1] of
// the pool, and likewise of the chunk. What lies behind indptr[tokens] is padding with ids out of range.

#include "interface/own.hpp"

namespace fmha950 {

namespace sparse {
inline constexpr int head_dim = 512, nope_columns = 448, rope_columns = 64;
inline constexpr int split_block = 64, packed_block = 32; // columns of a scale
inline constexpr int packed_scales_begin = 448;           // byte of a packed row
inline constexpr int packed_scales = nope_columns / packed_block;
} // namespace sparse

struct SparseRows {
  Tensor nope, rope, scale;
  Tensor original; // fp32 [rows, 512], before quantisation; empty when unknown or equal
  // Rows that hold anything, values or poison, ascending; the others were never touched. Empty: unknown.
  std::vector<int32_t> written;

  int64_t rows() const { return nope.shape().empty() ? 0 : nope.shape()[0]; }
};

struct SparseTensors {
  SparseRows q, pool, chunk;
  Tensor prefix_indptr, prefix_indices; // int32 [tokens + 1], [prefix_indptr[tokens] + padding]
  Tensor extend_indptr, extend_indices;
};

// Device copies, same shapes; null where a tensor is empty.
struct DeviceSparseRows {
  const void *nope = nullptr, *rope = nullptr;
  const float* scale = nullptr;
};

struct DeviceSparseTensors {
  DeviceSparseRows q, pool, chunk;
  const int32_t *prefix_indptr = nullptr, *prefix_indices = nullptr;
  const int32_t *extend_indptr = nullptr, *extend_indices = nullptr;
};

inline constexpr OwnTensors<SparseTensors, DeviceSparseTensors> sparse_tensors; // of a problem's tensors

} // namespace fmha950
