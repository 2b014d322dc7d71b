#pragma once
// KV pools, and what else has an entry per page or row, on the device. A pool is allocated in full; of a
// large one only the pages that hold something are uploaded, so that a 10 GB pool stays sparse on the
// embedded device.

#include "interface/hip.hpp"
#include "interface/problem.hpp"
#include "interface/tensors.hpp"

#include <vector>

namespace fmha950::harness {

inline constexpr size_t whole_pool_bytes = size_t{64} << 20; // pools up to this are uploaded as they are

// Pages of the pool worth uploading, ascending: all of a pool of at most `whole` bytes, else those that hold
// something. Where that is unknown (a loaded folder) they are looked for: pages with a byte of K, V or
// descales that is not zero, and those the tables name. Of the others a device's zeros are the right bytes.
std::vector<int64_t> pages_to_upload(const Problem& problem, const Tensors& host,
                                     size_t whole = whole_pool_bytes);

// Likewise of the pool or the chunk of sparse_prefill, whose lists are these.
std::vector<int64_t> rows_to_upload(const SparseRows& rows, const Tensor& indptr, const Tensor& indices,
                                    size_t whole = whole_pool_bytes);

// Whether a descale has an entry for each page, outermost.
bool is_per_page(const Tensors& host, const Tensor& descale);

// A tensor whose outermost dimension is the page or the row; of the others nothing is written.
hip::Buffer upload_pages(const Tensor& tensor, const std::vector<int64_t>& pages);
// The same into a buffer of a whole tensor.
void upload_pages(const Tensor& tensor, const std::vector<int64_t>& pages, hip::Buffer& buffer);

// Both pools as views into one allocation: [pages, 2, page, gap], K's page before V's, each followed by a gap
// of NaN bytes whose length (48) leaves pages aligned to 16 bytes and to no more.
struct InterleavedPools {
  hip::Buffer buffer;
  size_t v_offset = 0;     // bytes
  int64_t page_stride = 0; // elements, of either pool
};
InterleavedPools upload_interleaved(const Tensors& host, const std::vector<int64_t>& pages);

} // namespace fmha950::harness
