#pragma once
// The host-side values of a problem: those of operators whose keys are in pages, and sink_logit of all. What another
// operator has is `own` (operators/sparse_prefill/sparse_tensors.hpp, operators/append_prefill/append_tensors.hpp).
// Shapes are row-major, outermost first.
//
//   q               [total_q, Hq, D], query_type
//   k_pool, v_pool  LINEAR: [pages, page, Hkv, D], kv_type
//                   VECTORIZED: K [pages, Hkv, D/x, page, x], V [pages, Hkv, page/x, D, x];
//                   x = 16 bytes of elements
//                   HND: [pages, Hkv, page, D]
//   q_descale       per_tensor, page: fp32 [1]; mx: e8m0 [total_q, Hq, D/32]; none: empty
//   k_descale       per_tensor: fp32 [1]; page: fp32 [pages, Hkv]; mx: e8m0 [pages, page, Hkv, D/32]
//   v_descale       per_tensor: fp32 [1]; page: fp32 [pages, Hkv];
//                   mx: e8m0 [pages, page/32, Hkv, D] where page % 32 == 0, else fp32 [1]
//   sink_logit      fp32 [Hq] or empty
//   q_indptr        int32 [B + 1], in both batch modes
//   tree_mask       int32 [total_q, 2] where tree_nodes > 0, else empty: of a query that is node i of its request's tree, a
//                   number of 64 bits, the lower half first (an int64 [total_q] in memory). Bit j says whether it sees node j.
//                   Bit i is set, and none above it. Rows of queries before the tree may hold anything.
//
// Page tables, int32:
//
//   sglang          kv_indptr [B + 1], kv_page_indices [kv_indptr[B] + padding], kv_last_page_lens [B]
//   vllm            block_table [B, max_pages + padding], seqlen_k [B]
//
// With paged=0 the tables name pages 0, 1, 2 ... of the pool in order, request after request: page n of
// request b is page kv_indptr[b] + n (with a block table: the pages of the requests before it, plus n).
//
// x = x_stored * descale for every tensor that the quantisation gives a descale, whatever its type,
// and nothing rounds it but where an operator says so.
// Unused slots of a last page, unused pages, their scales, and table padding may hold poison.

#include "interface/problem.hpp"
#include "interface/query_row.hpp"
#include "interface/tensor.hpp"

#include <any>
#include <optional>
#include <vector>

namespace fmha950 {

// Where a pool begins on the device: `before` bytes in front of a multiple of `line`. For probes of addresses.
struct PoolPlace {
  uint64_t line = 0, before = 0;
};

struct Tensors {
  Tensor q, k_pool, v_pool;
  Tensor q_descale, k_descale, v_descale;
  Tensor sink_logit;
  Tensor q_indptr;
  Tensor tree_mask;
  Tensor kv_indptr, kv_page_indices, kv_last_page_lens; // sglang
  Tensor block_table, seqlen_k;                         // vllm
  // Unquantised inputs, for the split of the error: q as [total_q, Hq, D], K and V as LINEAR pools, all fp32.
  // Empty when they are unknown (a loaded folder) or equal to the quantised ones.
  Tensor q_original, k_original, v_original;
  // Pages of the pools that hold anything, values or poison, ascending; the others are zeros that were never
  // touched. Empty when that is unknown (a loaded folder).
  std::vector<int32_t> written_pages;
  std::optional<PoolPlace> pool_place; // of either pool; none: where the device puts it
  std::any own;                        // what one operator alone has, of a type that its folder knows

  int64_t pool_pages() const { return k_pool.shape().empty() ? 0 : k_pool.shape()[0]; }
};

// The one fp32 descale of a tensor, or 1: those per page, of MX and absent ones are applied elsewhere or not
// at all.
float tensor_descale(const Tensor& descale);

// The page that holds token `token` of request `request`, by whichever table the problem uses.
int32_t page_of(const Problem& problem, const Tensors& tensors, int request, int token);
// The row of tree_mask of a query that is a node of its request's tree.
uint64_t tree_bits(const Tensors& tensors, QueryRow node);
// Every page named by a valid prefix of the tables, ascending, each once.
std::vector<int32_t> touched_pages(const Problem& problem, const Tensors& tensors);
// Shapes of pools of so many pages in the problem's layout.
std::vector<int64_t> k_pool_shape(const Problem& problem, int64_t pages);
std::vector<int64_t> v_pool_shape(const Problem& problem, int64_t pages);
// Index of element (page, slot, head, column) in a pool of the problem's layout.
int64_t k_index(const Problem& problem, int64_t page, int slot, int head, int column);
int64_t v_index(const Problem& problem, int64_t page, int slot, int head, int column);

} // namespace fmha950
