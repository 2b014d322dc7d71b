#pragma once
// Where a problem's tensors are on the device.

#include <any>
#include <cstdint>

namespace fmha950 {

// Device copies of Tensors (same shapes), and the outputs. Uploaded and owned by the caller. With strided=1
// the pages of a pool need not lie together, and another tensor's bytes may lie between them; inside a page
// everything is contiguous, in every layout. With interleaved=1 both pools are one, [pages, 2, ...]: v_pool is a page behind
// k_pool, and either stride is two pages.
struct DeviceTensors {
  const void *q = nullptr, *k_pool = nullptr, *v_pool = nullptr;
  void *k_cache = nullptr, *v_cache = nullptr; // k_pool and v_pool, where the call writes to them
  // If one number serves a whole tensor (quant=tensor, a cache's scales), the plan takes the host's value when
  // it is made, and kernels get it as an argument.
  const void *q_descale = nullptr, *k_descale = nullptr, *v_descale = nullptr;
  const float* sink_logit = nullptr;
  const int32_t* q_indptr = nullptr;
  const uint64_t* tree_mask = nullptr; // [total_q]
  const int32_t *kv_indptr = nullptr, *kv_page_indices = nullptr, *kv_last_page_lens = nullptr;
  const int32_t *block_table = nullptr, *seqlen_k = nullptr;
  void* output = nullptr; // [total_q, Hq, D of V] output_type
  float* lse = nullptr;   // [total_q, Hq], null when the problem wants none
  // KV elements from page to page; 0: pages lie together, page_elements() or value_page_elements() of the problem.
  // With interleaved=1 twice that.
  int64_t k_page_stride = 0, v_page_stride = 0;
  std::any own; // what one operator alone has, of a type that its folder knows
};

} // namespace fmha950
