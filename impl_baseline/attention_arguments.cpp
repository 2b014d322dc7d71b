#include "impl_baseline/attention_arguments.hpp"

#include "attention/host/page_table.hpp"
#include "attention/host/work_items.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace fmha950::baseline {
namespace {

// Bytes from page to page of a pool, whose stride in elements is 0 where pages, of so many, lie together.
uint32_t page_stride(const Problem& problem, const char* name, int64_t elements, int64_t of_page) {
  const int64_t bytes = (elements != 0 ? elements : of_page) * element_bytes(problem.kv_type);
  if (bytes > std::numeric_limits<uint32_t>::max())
    throw InvalidInput(name, fmt::format("{} bytes from page to page", bytes),
                       "baseline takes pages less than 4 GiB apart");
  return static_cast<uint32_t>(bytes);
}

Pools pools_of(const Problem& problem, const DeviceTensors& device) {
  const uint32_t row = static_cast<uint32_t>(problem.head_dim) * element_bytes(problem.kv_type);
  const uint32_t heads = problem.kv_heads, page = problem.page_size;
  Pools pools = {
      .k = device.k_pool,
      .v = device.v_pool,
      .k_page_stride = page_stride(problem, "k_page_stride", device.k_page_stride, problem.page_elements()),
      .v_page_stride =
          page_stride(problem, "v_page_stride", device.v_page_stride, problem.value_page_elements()),
      .head_stride = row,
      .k_row_stride = heads * row,
      .k_chunk_stride = 16};
  switch (problem.kv_layout) {
  case KvLayout::linear: break;
  case KvLayout::hnd: // [pages, Hkv, page, D]
    pools.head_stride = page * row;
    pools.k_row_stride = row;
    break;
  case KvLayout::vectorized: // [pages, Hkv, D / x, page, x]
    pools.head_stride = page * row;
    pools.k_row_stride = 16;
    pools.k_chunk_stride = page * 16;
    break;
  }
  return pools;
}

} // namespace

AttentionArguments attention_arguments(const Problem& problem, const DeviceTensors& device,
                                       const attention::WorkItem* work, double score_descale,
                                       float value_scale) {
  const bool capped = problem.soft_cap != 0;
  const double scale = double(problem.softmax_scale()) * score_descale;
  const double log2e = std::numbers::log2e;
  return {
      .work = work,
      .q = device.q,
      .pools = pools_of(problem, device),
      .k_descale = static_cast<const float*>(device.k_descale),
      .v_descale = static_cast<const float*>(device.v_descale),
      .table = attention::device_table(problem, device),
      .sink_logit = problem.sink_logit ? device.sink_logit : nullptr,
      .output = device.output,
      .lse = device.lse,
      .page_shift = attention::page_shift(problem),
      .query_heads = static_cast<uint32_t>(problem.query_heads),
      .kv_heads = static_cast<uint32_t>(problem.kv_heads),
      .heads_per_kv_head = static_cast<uint32_t>(problem.heads_per_kv_head()),
      .window = attention::mask_window(problem),
      .sink_tokens = std::min(problem.sink_tokens, problem.max_key_length()),
      .score_scale = static_cast<float>((capped ? double(problem.soft_cap) : scale) * log2e),
      .cap_scale = static_cast<float>(capped ? 2 * log2e * scale / problem.soft_cap : 0),
      .value_scale = value_scale,
  };
}

} // namespace fmha950::baseline
