#include "random_case.hpp"

#include "tests/support/elements.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fmha950::test {
namespace {

template <class T> T pick(std::mt19937& random, std::initializer_list<T> values) {
  return values.begin()[below(random, static_cast<int>(values.size()))];
}

int elements_of_chunk(ElementType type) { return type == ElementType::fp8 ? 16 : 8; }

uint8_t random_scale_code(std::mt19937& random) { return uint8_t(127 - 3 + below(random, 7)); }
float random_scale(std::mt19937& random) { return std::uniform_real_distribution<float>(0.3f, 1.7f)(random); }

// Element offsets of DESIGN.md section 2, spelled out.
size_t k_offset(const Problem& p, int page, int slot, int head, int column) {
  const size_t P = p.page_size, H = p.kv_heads, D = p.head_dim, x = elements_of_chunk(p.kv_type);
  if (p.kv_layout == KvLayout::linear) return page * P * H * D + slot * H * D + head * D + column;
  if (p.kv_layout == KvLayout::hnd) return page * H * P * D + head * P * D + slot * D + column;
  return page * H * D * P + head * D * P + (column / x) * P * x + slot * x + column % x;
}
size_t v_offset(const Problem& p, int page, int slot, int head, int column) {
  const size_t P = p.page_size, H = p.kv_heads, D = p.value_columns(), x = elements_of_chunk(p.kv_type);
  if (p.kv_layout == KvLayout::linear) return page * P * H * D + slot * H * D + head * D + column;
  if (p.kv_layout == KvLayout::hnd) return page * H * P * D + head * P * D + slot * D + column;
  return page * H * D * P + head * P * D + (slot / x) * D * x + column * x + slot % x;
}

void make_tables(const Problem& p, Tensors& t, const std::vector<std::vector<int>>& pages) {
  const int batch = static_cast<int>(p.requests.size());
  t.q_indptr = Tensor(ElementType::int32, {batch + 1});
  for (int b = 0; b < batch; ++b)
    t.q_indptr.as<int32_t>()[b + 1] = t.q_indptr.as<int32_t>()[b] + p.requests[b].query_length;
  if (p.page_table == PageTable::vllm) {
    size_t widest = 0;
    for (const auto& list : pages) widest = std::max(widest, list.size());
    t.block_table = Tensor(ElementType::int32, {batch, int64_t(widest) + 2});
    poison(t.block_table);
    t.seqlen_k = Tensor(ElementType::int32, {batch});
    for (int b = 0; b < batch; ++b) {
      std::copy(pages[b].begin(), pages[b].end(),
                t.block_table.as<int32_t>().begin() + b * (int64_t(widest) + 2));
      t.seqlen_k.as<int32_t>()[b] = p.requests[b].key_length;
    }
    return;
  }
  t.kv_indptr = Tensor(ElementType::int32, {batch + 1});
  t.kv_last_page_lens = Tensor(ElementType::int32, {batch});
  std::vector<int> all;
  for (int b = 0; b < batch; ++b) {
    all.insert(all.end(), pages[b].begin(), pages[b].end());
    t.kv_indptr.as<int32_t>()[b + 1] = static_cast<int>(all.size());
    t.kv_last_page_lens.as<int32_t>()[b] =
        p.requests[b].key_length - p.page_size * (static_cast<int>(pages[b].size()) - 1);
  }
  t.kv_page_indices = Tensor(ElementType::int32, {int64_t(all.size()) + 3});
  poison(t.kv_page_indices);
  std::copy(all.begin(), all.end(), t.kv_page_indices.as<int32_t>().begin());
}

void make_scales(const Problem& p, Tensors& t, int pages, std::mt19937& random) {
  const int H = p.kv_heads, D = p.head_dim, of_values = p.value_columns();
  const auto one = [&](Tensor& tensor) {
    tensor = Tensor(ElementType::fp32, {1});
    tensor.as<float>()[0] = random_scale(random);
  };
  if (p.quantisation == Quantisation::none) return;
  if (p.quantisation == Quantisation::mx) {
    t.q_descale = Tensor(ElementType::e8m0, {p.total_queries(), p.query_heads, D / 32});
    for (uint8_t& code : t.q_descale.as<uint8_t>()) code = random_scale_code(random);
    t.k_descale = Tensor(ElementType::e8m0, {pages, p.page_size, H, D / 32});
    poison(t.k_descale);
    if (p.page_size % 32 != 0) return one(t.v_descale);
    t.v_descale = Tensor(ElementType::e8m0, {pages, p.page_size / 32, H, of_values});
    return poison(t.v_descale);
  }
  one(t.q_descale);
  if (p.quantisation == Quantisation::per_tensor) {
    one(t.k_descale);
    return one(t.v_descale);
  }
  t.k_descale = Tensor(ElementType::fp32, {pages, H});
  t.v_descale = Tensor(ElementType::fp32, {pages, H});
  poison(t.k_descale);
  poison(t.v_descale);
}

// The scale of one element; written on first use, because unused ones must stay poison.
double used_code(Tensor& tensor, size_t index, std::mt19937& random) {
  uint8_t& code = tensor.as<uint8_t>()[index];
  if (code == 0xFF) code = random_scale_code(random);
  return std::ldexp(1.0, code - 127);
}
double used_scale(Tensor& tensor, size_t index, std::mt19937& random) {
  float& scale = tensor.as<float>()[index];
  if (std::isnan(scale)) scale = random_scale(random);
  return scale;
}

double k_scale(const Problem& p, Tensors& t, int page, int slot, int head, int column, std::mt19937& random) {
  const size_t H = p.kv_heads, D = p.head_dim, token = size_t(page) * p.page_size + slot;
  switch (p.quantisation) {
  case Quantisation::none: return 1;
  case Quantisation::per_tensor: return t.k_descale.as<float>()[0];
  case Quantisation::page: return used_scale(t.k_descale, page * H + head, random);
  case Quantisation::mx: return used_code(t.k_descale, (token * H + head) * (D / 32) + column / 32, random);
  }
  return 0;
}

double v_scale(const Problem& p, Tensors& t, int page, int slot, int head, int column, std::mt19937& random) {
  const size_t H = p.kv_heads, D = p.value_columns();
  switch (p.quantisation) {
  case Quantisation::none: return 1;
  case Quantisation::per_tensor: return t.v_descale.as<float>()[0];
  case Quantisation::page: return used_scale(t.v_descale, page * H + head, random);
  case Quantisation::mx: break;
  }
  if (p.page_size % 32 != 0) return t.v_descale.as<float>()[0];
  const size_t block = size_t(page) * (p.page_size / 32) + slot / 32;
  return used_code(t.v_descale, (block * H + head) * D + column, random);
}

} // namespace

Problem random_problem(std::mt19937& random, int longest) {
  using enum ElementType;
  Problem p;
  p.kv_heads = pick(random, {1, 2, 3});
  p.query_heads = p.kv_heads * pick(random, {1, 2, 5});
  p.head_dim = pick(random, {64, 128, 256, 192});
  if (p.head_dim == 192) p.value_head_dim = 128;
  p.kv_type = pick(random, {bf16, fp16, fp8, fp8, fp8, mxfp4});
  p.query_type = p.kv_type == fp8 || p.kv_type == mxfp4 ? pick(random, {bf16, fp16, fp8}) : p.kv_type;
  if (p.kv_type == fp8)
    p.quantisation = pick(random, {Quantisation::none, Quantisation::per_tensor, Quantisation::page,
                                   Quantisation::mx, Quantisation::mx});
  const bool pairs = p.kv_type == mxfp4;
  if (pairs) p.quantisation = Quantisation::mx;
  p.output_type = pick(random, {bf16, fp16});
  p.page_table = pick(random, {PageTable::sglang, PageTable::vllm});
  p.page_size = pairs ? pick(random, {32, 64, 128}) : pick(random, {1, 16, 32, 64, 128, 1024});
  p.kv_layout = p.page_size > 1 && !pairs
                    ? pick(random, {KvLayout::linear, KvLayout::vectorized, KvLayout::hnd})
                    : pick(random, {KvLayout::linear, KvLayout::hnd});
  p.causal = below(random, 2);
  if (below(random, 2)) p.window = Window{below(random, 40), p.causal ? 0 : below(random, 20)};
  if (below(random, 2)) p.sink_tokens = below(random, 6);
  p.sink_logit = below(random, 2);
  p.soft_cap = pick(random, {0.0f, 0.0f, 5.0f});
  p.lse = true;
  if (below(random, 3) == 0) p.scale = 0.05f;
  for (int requests = 1 + below(random, 4); requests > 0; --requests)
    p.requests.push_back({pick(random, {0, 1, below(random, longest)}),
                          pick(random, {0, 1, p.page_size, below(random, longest), below(random, longest)})});
  if (p.causal && below(random, 2)) p.tree_nodes = 1 + below(random, 64);
  return p;
}

namespace {

// Any nodes before a node, not only those on the way to a root: rows are what a user gives.
void make_tree(const Problem& p, Tensors& t, std::mt19937& random) {
  t.tree_mask = Tensor(ElementType::int32, {p.total_queries(), 2});
  poison(t.tree_mask);
  for (size_t b = 0; b < p.requests.size(); ++b) {
    const Request& request = p.requests[b];
    const int nodes = std::min({p.tree_nodes, request.query_length, request.key_length});
    for (int node = 0; node < nodes; ++node) {
      uint64_t bits = uint64_t(1) << node;
      for (int other = 0; other < node; ++other) bits |= uint64_t(below(random, 2)) << other;
      const size_t row = size_t(t.q_indptr.as<int32_t>()[b] + request.query_length - nodes + node);
      t.tree_mask.as<int32_t>()[2 * row] = int32_t(uint32_t(bits));
      t.tree_mask.as<int32_t>()[2 * row + 1] = int32_t(uint32_t(bits >> 32));
    }
  }
}

} // namespace

RandomCase fill(const Problem& problem, std::mt19937& random) {
  RandomCase result{problem, {}, {}, {}, {}};
  const Problem& p = result.problem;
  Tensors& t = result.tensors;
  int used = 0;
  for (const Request& request : p.requests) used += (request.key_length + p.page_size - 1) / p.page_size;
  const int pages = used + 2, D = p.head_dim, of_values = p.value_columns();
  std::vector<int> free(pages);
  std::iota(free.begin(), free.end(), 0);
  std::shuffle(free.begin(), free.end(), random);
  std::vector<std::vector<int>> lists;
  for (const Request& request : p.requests) {
    lists.emplace_back();
    for (int token = 0; token < request.key_length; token += p.page_size) {
      lists.back().push_back(free.back());
      free.pop_back();
    }
  }
  make_tables(p, t, lists);
  if (p.tree_nodes > 0) make_tree(p, t, random);
  const int x = elements_of_chunk(p.kv_type);
  const bool vectorized = p.kv_layout == KvLayout::vectorized;
  using Shape = std::vector<int64_t>;
  const auto rows = [&](int columns) {
    return p.kv_layout == KvLayout::hnd ? Shape{pages, p.kv_heads, p.page_size, columns}
                                        : Shape{pages, p.page_size, p.kv_heads, columns};
  };
  t.q = Tensor(p.query_type, {p.total_queries(), p.query_heads, D});
  t.k_pool = Tensor(p.kv_type, vectorized ? Shape{pages, p.kv_heads, D / x, p.page_size, x} : rows(D));
  t.v_pool = Tensor(p.kv_type,
                    vectorized ? Shape{pages, p.kv_heads, p.page_size / x, of_values, x} : rows(of_values));
  poison(t.k_pool);
  poison(t.v_pool);
  make_scales(p, t, pages, random);
  if (p.sink_logit) {
    t.sink_logit = Tensor(ElementType::fp32, {p.query_heads});
    for (float& sink : t.sink_logit.as<float>()) sink = std::uniform_real_distribution<float>(-2, 4)(random);
  }
  size_t q_index = 0;
  for (size_t b = 0; b < p.requests.size(); ++b) {
    Dense q{p.query_heads, D, {}}, k{p.kv_heads, D, {}}, v{p.kv_heads, of_values, {}};
    for (int i = 0; i < p.requests[b].query_length * p.query_heads * D; ++i, ++q_index) {
      const double value = put_random(t.q, q_index, random);
      const bool mx = p.quantisation == Quantisation::mx;
      q.values.push_back(t.q_descale.empty() ? value
                         : mx ? value * std::ldexp(1.0, t.q_descale.as<uint8_t>()[q_index / 32] - 127)
                              : value * t.q_descale.as<float>()[0]);
    }
    for (int token = 0; token < p.requests[b].key_length; ++token) {
      const int page = lists[b][token / p.page_size], slot = token % p.page_size;
      for (int head = 0; head < p.kv_heads; ++head)
        for (int column = 0; column < D; ++column) {
          k.values.push_back(put_random(t.k_pool, k_offset(p, page, slot, head, column), random) *
                             k_scale(p, t, page, slot, head, column, random));
          if (column < of_values)
            v.values.push_back(put_random(t.v_pool, v_offset(p, page, slot, head, column), random) *
                               v_scale(p, t, page, slot, head, column, random));
        }
    }
    result.q.push_back(std::move(q));
    result.k.push_back(std::move(k));
    result.v.push_back(std::move(v));
  }
  return result;
}

} // namespace fmha950::test
