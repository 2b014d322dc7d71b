#pragma once
// Where the rows of one request and KV head lie, in the pages of the cache and in the chunk.

#include "gfx950/kernel.hpp"
#include "gfx950/mutant.hpp"
#include "impl_baseline/append/append_arguments.hpp"

namespace fmha950::baseline::append {

using namespace gfx950;

class CacheRows {
 public:
  FMHA950_INLINE CacheRows(const AppendArguments& arguments, const attention::WorkItem& item, uint32_t head)
      : table_(arguments.attention.table + item.table_begin), page_shift_(arguments.attention.page_shift),
        page_stride_(arguments.attention.pools.k_page_stride),
        row_stride_(arguments.attention.pools.k_row_stride),
        head_begin_(head * arguments.attention.pools.head_stride) {}

  FMHA950_INLINE uint32_t page_of(int position) const {
    return static_cast<uint32_t>(table_[static_cast<uint32_t>(position) >> page_shift_]);
  }
  // In bytes, in the pool of K as in that of V.
  FMHA950_INLINE uint64_t place(uint32_t page, int position) const {
    const uint32_t slot = static_cast<uint32_t>(position) & low_bits(page_shift_);
    const uint64_t begin = page * uint64_t(page_stride_);
    return (protection("page_base") ? begin : static_cast<uint32_t>(begin)) +
           (slot * row_stride_ + head_begin_);
  }
  FMHA950_INLINE uint32_t page_shift() const { return page_shift_; }

 private:
  const int32_t* table_;
  uint32_t page_shift_, page_stride_, row_stride_, head_begin_;
};

// Tokens of the request that were in the cache before the call.
FMHA950_INLINE int old_length(const attention::WorkItem& item) { return item.key_length - item.query_length; }

// The chunk's row of this token of the request, in bytes.
FMHA950_INLINE uint64_t chunk_place(const AttentionArguments& arguments, const attention::WorkItem& item,
                                    uint32_t row_bytes, int token) {
  const uint64_t row = static_cast<uint32_t>(item.query_begin + token) * uint64_t(arguments.kv_heads) +
                       static_cast<uint32_t>(item.kv_head);
  return row * row_bytes;
}

} // namespace fmha950::baseline::append
