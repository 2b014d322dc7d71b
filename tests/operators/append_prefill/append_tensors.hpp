#pragma once
// Valid tensors of two small problems of append_prefill, to be spoiled.
#include "interface/case_string.hpp"
#include "interface/tensors.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/rotary.hpp"

#include <algorithm>

namespace fmha950::test {

// Request 0 appends tokens 40 to 69 to pages 2 to 4, request 1 tokens 0 to 6 to page 5;
// pages 0 and 1 are old.
inline constexpr const char* sglang = "append_prefill/h=4:2/sq=30,7/sk=70,7/d=64";
inline constexpr const char* vllm = "append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/table=vllm";
inline constexpr const char* rotary = "append_prefill/h=4:2/sq=30,7/sk=70,7/d=64/rope=half:32";
inline constexpr int64_t pool_pages = 8;

inline Tensor ints(const std::vector<int32_t>& values, std::vector<int64_t> shape) {
  Tensor tensor(ElementType::int32, std::move(shape));
  std::ranges::copy(values, tensor.as<int32_t>().begin());
  return tensor;
}

inline Tensors valid_append_tensors(const Problem& p) {
  Tensors t;
  t.q = Tensor(p.query_type, {37, 4, 64});
  append_tensors(t).k_new = Tensor(p.query_type, {37, 2, 64});
  append_tensors(t).v_new = Tensor(p.query_type, {37, 2, 64});
  t.k_pool = Tensor(ElementType::fp8, {pool_pages, 16, 2, 64});
  t.v_pool = Tensor(ElementType::fp8, {pool_pages, 16, 2, 64});
  t.k_descale = Tensor(ElementType::fp32, {1});
  t.v_descale = Tensor(ElementType::fp32, {1});
  t.k_descale.as<float>()[0] = t.v_descale.as<float>()[0] = 0.01f;
  t.q_indptr = ints({0, 30, 37}, {3});
  if (p.page_table == PageTable::sglang) {
    t.kv_indptr = ints({0, 5, 6}, {3});
    t.kv_page_indices = ints({0, 1, 2, 3, 4, 5, -1}, {7});
    t.kv_last_page_lens = ints({6, 7}, {2});
  } else {
    t.block_table = ints({0, 1, 2, 3, 4, -1, 5, -1, -1, -1, -1, -1}, {2, 6});
    t.seqlen_k = ints({70, 7}, {2});
  }
  if (const RotaryEmbedding* const embedding = rotary_embedding(p)) {
    std::vector<int32_t> positions;
    for (int32_t i = 0; i < 37; ++i) positions.push_back(i < 30 ? 40 + i : i - 30);
    append_tensors(t).positions = ints(positions, {37});
    append_tensors(t).cos_sin_cache = Tensor(ElementType::fp32, {70, embedding->rotated});
  }
  return t;
}

} // namespace fmha950::test
