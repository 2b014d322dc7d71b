#pragma once
// KV pools, and what else has an entry per page or row, on the device. A pool is allocated in full. If it
// is large, only the pages that hold something are uploaded, so that a 10 GB pool stays sparse on the
// embedded device.

#include "interface/hip.hpp"
#include "interface/problem.hpp"
#include "interface/tensor_table.hpp"
#include "interface/tensors.hpp"

#include <vector>

namespace fmha950::harness {

inline constexpr size_t whole_pool_bytes = size_t{64} << 20; // pools up to this are uploaded as they are

// Pages or rows of a store worth uploading, ascending. A store of at most `whole` bytes: all. A larger one: those that
// hold something. Where that is unknown (a loaded folder), those with a byte that is not zero in any of the store's
// tensors, and those that tables or lists name. The others are zeros, as the device's memory is.
std::vector<int64_t> entries_to_upload(const Problem& problem, const Tensors& host, const TensorStore& store,
                                       size_t whole = whole_pool_bytes);

// Whether a tensor that may be a part of the store has an entry for each page or row, outermost: descales need not.
bool is_part_of(const Tensors& host, const TensorStore& store, const Tensor& tensor);

// The store that a tensor is a part of, by its name in the operator's table.
const TensorStore& store_of(const Problem& problem, std::string_view tensor);

// Uploads a tensor whose outermost dimension is the page or the row; only `pages` are written.
hip::Buffer upload_pages(const Tensor& tensor, const std::vector<int64_t>& pages);
// The same into a buffer that has the whole tensor from byte `begin` on.
void upload_pages(const Tensor& tensor, const std::vector<int64_t>& pages, hip::Buffer& buffer,
                  size_t begin = 0);

// A pool that may begin at a wanted place, inside of a buffer that is longer by a `line`.
struct PlacedPool {
  hip::Buffer buffer;
  size_t begin = 0; // bytes
};
PlacedPool upload_placed(const Tensor& tensor, const std::vector<int64_t>& pages, PoolPlace place);

// Both pools in one allocation, K's page before V's: [pages, 2, ...] with interleaved=1. With strided=1 they are views, and
// behind each page follows a gap of NaN bytes whose length (48) leaves pages aligned to 16 bytes and to no more.
struct SharedPools {
  PlacedPool k;            // as tensors' pool_place wants it
  size_t v_offset = 0;     // bytes from K's page to V's
  int64_t page_stride = 0; // elements, of either pool
};
SharedPools upload_shared(const Problem& problem, const Tensors& host, const std::vector<int64_t>& pages);

} // namespace fmha950::harness
