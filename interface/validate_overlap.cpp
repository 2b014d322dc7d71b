// append_prefill writes to memory that it reads: the cache. No other tensor may lie in it, or in the outputs.
#include "interface/validate_detail.hpp"

namespace fmha950::validation {
namespace {

struct Range {
  const char* name;
  const void* pointer;
  size_t bytes;
  bool written = false;

  uintptr_t begin() const { return reinterpret_cast<uintptr_t>(pointer); }
  uintptr_t end() const { return begin() + bytes; }
  bool overlaps(const Range& other) const {
    return pointer != nullptr && other.pointer != nullptr && begin() < other.end() && other.begin() < end();
  }
};

} // namespace

void check_overlap(const Problem& p, const Tensors& t, const DeviceTensors& d) {
  const size_t heads = static_cast<size_t>(p.total_queries()) * static_cast<size_t>(p.query_heads);
  const size_t output = heads * static_cast<size_t>(p.head_dim * element_bytes(p.output_type));
  const Range ranges[] = {
      {"k_cache", d.k_cache, t.k_pool.bytes(), true},
      {"v_cache", d.v_cache, t.v_pool.bytes(), true},
      {"output", d.output, output, true},
      {"lse", d.lse, heads * sizeof(float), true},
      {"q", d.q, t.q.bytes()},
      {"k_new", d.k_new, t.k_new.bytes()},
      {"v_new", d.v_new, t.v_new.bytes()},
      {"k_scale", d.k_descale, t.k_descale.bytes()},
      {"v_scale", d.v_descale, t.v_descale.bytes()},
      {"sink_logit", d.sink_logit, t.sink_logit.bytes()},
      {"q_indptr", d.q_indptr, t.q_indptr.bytes()},
      {"kv_indptr", d.kv_indptr, t.kv_indptr.bytes()},
      {"kv_page_indices", d.kv_page_indices, t.kv_page_indices.bytes()},
      {"kv_last_page_lens", d.kv_last_page_lens, t.kv_last_page_lens.bytes()},
      {"block_table", d.block_table, t.block_table.bytes()},
      {"seqlen_k", d.seqlen_k, t.seqlen_k.bytes()},
  };
  for (const Range& range : ranges)
    for (const Range& written : ranges) {
      if (&written >= &range) break; // each pair once; those that are written stand first
      if (written.written && range.overlaps(written))
        throw InvalidInput(range.name, fmt::format("{:#x} to {:#x}", range.begin(), range.end()),
                           fmt::format("must not overlap {}, which the call writes ({:#x} to {:#x})",
                                       written.name, written.begin(), written.end()));
    }
}

} // namespace fmha950::validation
