#include "operators/append_prefill/appended_cache.hpp"

#include "numerics/formats.hpp"
#include "numerics/threads.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/rotary.hpp"

#include <cstring>
#include <numeric>

namespace fmha950::operators {
namespace {

// A copy that leaves untouched what nobody ever wrote, so that a 10 GB pool stays sparse.
Tensor copy_of(const Tensor& pool, std::vector<int32_t> pages) {
  Tensor copy(pool.type(), pool.shape());
  if (pool.empty()) return copy;
  if (pages.empty()) {
    pages.resize(static_cast<size_t>(pool.shape()[0]));
    std::iota(pages.begin(), pages.end(), 0);
  }
  const size_t bytes = pool.bytes() / static_cast<size_t>(pool.shape()[0]);
  for (const int32_t page : pages) {
    const size_t offset = static_cast<size_t>(page) * bytes;
    std::memcpy(copy.data() + offset, pool.data() + offset, bytes);
  }
  return copy;
}

void append(const Problem& problem, const Tensors& tensors, const Tensor& chunk, float scale, Tensor& pool) {
  const int64_t heads = problem.kv_heads, columns = problem.head_dim;
  auto codes = pool.as<uint8_t>();
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const Request& request = problem.requests[r];
    const int64_t first = tensors.q_indptr.as<int32_t>()[r];
    const int old = request.key_length - request.query_length;
    numerics::parallel_for(request.query_length, [&](int64_t i) {
      const int token = old + static_cast<int>(i), slot = token % problem.page_size;
      const int64_t page = page_of(problem, tensors, r, token);
      for (int head = 0; head < heads; ++head)
        for (int column = 0; column < columns; ++column) {
          const float x = chunk.value(((first + i) * heads + head) * columns + column);
          codes[k_index(problem, page, slot, head, column)] = numerics::fp8_from_f32(x / scale, true);
        }
    });
  }
}

} // namespace

Cache appended_cache(const Problem& problem, const Tensors& tensors) {
  Cache cache{copy_of(tensors.k_pool, tensors.written_pages), copy_of(tensors.v_pool, tensors.written_pages)};
  const Tensor& k_new = append_tensors(tensors).k_new;
  const Tensor with_embedding =
      rotary_embedding(problem) != nullptr ? rotated(problem, tensors, k_new) : Tensor();
  append(problem, tensors, with_embedding.empty() ? k_new : with_embedding, tensor_descale(tensors.k_descale),
         cache.k);
  append(problem, tensors, append_tensors(tensors).v_new, tensor_descale(tensors.v_descale), cache.v);
  return cache;
}

} // namespace fmha950::operators
