#pragma once
// Small tensors that a problem accepts, to be spoilt in one place.

#include "interface/tensors.hpp"

#include <cmath>
#include <cstring>

namespace fmha950::test {

// Valid tensors of a problem: request b's page n is page 2 n + b of the pool for two requests; everything
// that no request may read is poison.
inline Tensors valid_tensors(const Problem& p) {
  const int batch = static_cast<int>(p.requests.size());
  const auto page_id = [&](int b, int n) {
    int before = 0;
    for (int request = 0; request < b; ++request) before += p.pages_of(p.requests[request]);
    return p.paged ? batch * n + b : before + n;
  };
  const int64_t pages = int64_t(batch) * p.pages_of({0, p.max_key_length()}) + 1;
  const int x = 128 / element_bits(p.kv_type), P = p.page_size, H = p.kv_heads, D = p.head_dim,
            of_values = p.value_columns();
  Tensors t;
  t.q = Tensor(p.query_type, {p.total_queries(), p.query_heads, D});
  using Shape = std::vector<int64_t>;
  const auto rows = [&](int columns) {
    return p.kv_layout == KvLayout::hnd ? Shape{pages, H, P, columns} : Shape{pages, P, H, columns};
  };
  const bool vectorized = p.kv_layout == KvLayout::vectorized;
  t.k_pool = Tensor(p.kv_type, vectorized ? Shape{pages, H, D / x, P, x} : rows(D));
  t.v_pool = Tensor(p.kv_type, vectorized ? Shape{pages, H, P / x, of_values, x} : rows(of_values));
  const auto filled = [](ElementType type, const Shape& shape, int byte) {
    Tensor tensor(type, shape);
    std::memset(tensor.data(), byte, tensor.bytes());
    return tensor;
  };
  const auto one = [&](Tensor& tensor) {
    tensor = Tensor(ElementType::fp32, {1});
    tensor.as<float>()[0] = 1;
  };
  if (p.quantisation == Quantisation::mx) {
    t.q_descale = filled(ElementType::e8m0, {p.total_queries(), p.query_heads, D / 32}, 127);
    t.k_descale = filled(ElementType::e8m0, {pages, P, H, D / 32}, 127);
    std::memset(t.k_descale.data() + t.k_descale.bytes() / pages * (pages - 1), 0xFF,
                t.k_descale.bytes() / pages);
    if (P % 32 == 0)
      t.v_descale = filled(ElementType::e8m0, {pages, P / 32, H, of_values}, 127);
    else
      one(t.v_descale);
  } else if (p.quantisation != Quantisation::none) {
    one(t.q_descale);
    one(t.k_descale);
    one(t.v_descale);
  }
  if (p.quantisation == Quantisation::page)
    for (Tensor* tensor : {&t.k_descale, &t.v_descale}) {
      *tensor = Tensor(ElementType::fp32, {pages, H});
      for (float& scale : tensor->as<float>()) scale = 1;
      for (int head = 0; head < H; ++head)
        tensor->as<float>()[(pages - 1) * H + head] = NAN; // of the unused page
    }
  if (p.sink_logit) t.sink_logit = Tensor(ElementType::fp32, {p.query_heads});
  if (p.tree_nodes > 0) { // a forest of single nodes; anything in rows before them
    t.tree_mask = filled(ElementType::int32, {p.total_queries(), 2}, 0xA5);
    int64_t end = 0; // of a request's rows
    for (const Request& request : p.requests) {
      end += request.query_length;
      const int nodes = p.tree_nodes_of(request);
      for (int node = 0; node < nodes; ++node)
        for (int word : {0, 1})
          t.tree_mask.as<int32_t>()[2 * (end - nodes + node) + word] =
              node / 32 == word ? static_cast<int32_t>(1u << node % 32) : 0;
    }
  }
  t.q_indptr = Tensor(ElementType::int32, {batch + 1});
  t.kv_indptr = Tensor(ElementType::int32, {batch + 1});
  std::vector<int32_t> indices;
  for (int b = 0; b < batch; ++b) {
    t.q_indptr.as<int32_t>()[b + 1] = t.q_indptr.as<int32_t>()[b] + p.requests[b].query_length;
    for (int n = 0; n < p.pages_of(p.requests[b]); ++n) indices.push_back(page_id(b, n));
    t.kv_indptr.as<int32_t>()[b + 1] = static_cast<int32_t>(indices.size());
  }
  if (p.page_table == PageTable::sglang) {
    t.kv_page_indices =
        filled(ElementType::int32, {int64_t(indices.size()) + 2}, 0xFF); // padding is never read
    std::copy(indices.begin(), indices.end(), t.kv_page_indices.as<int32_t>().begin());
    t.kv_last_page_lens = Tensor(ElementType::int32, {batch});
    for (int b = 0; b < batch; ++b)
      t.kv_last_page_lens.as<int32_t>()[b] = (p.requests[b].key_length - 1) % P + 1;
  } else {
    t.kv_indptr = Tensor();
    const int64_t width = p.pages_of({0, p.max_key_length()}) + 2;
    t.block_table = filled(ElementType::int32, {batch, width}, 0x7F);
    t.seqlen_k = Tensor(ElementType::int32, {batch});
    for (int b = 0; b < batch; ++b) {
      for (int n = 0; n < p.pages_of(p.requests[b]); ++n)
        t.block_table.as<int32_t>()[b * width + n] = page_id(b, n);
      t.seqlen_k.as<int32_t>()[b] = p.requests[b].key_length;
    }
  }
  return t;
}

} // namespace fmha950::test
