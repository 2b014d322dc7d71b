#include "interface/validate_detail.hpp"
#include "operators/paged/definition.hpp"

namespace fmha950::operators {
namespace {

using namespace validation;
using enum ElementType;
using Shape = std::vector<int64_t>;

struct DescaleShapes {
  ElementType type, v_type;
  Shape q, k, v;
};

DescaleShapes descale_shapes(const Problem& p, int64_t pages) {
  switch (p.quantisation) {
  case Quantisation::none: return {fp32, fp32, {}, {}, {}};
  case Quantisation::per_tensor: return {fp32, fp32, {1}, {1}, {1}};
  case Quantisation::page: return {fp32, fp32, {1}, {pages, p.kv_heads}, {pages, p.kv_heads}};
  case Quantisation::mx: break;
  }
  const Shape q = {p.total_queries(), p.query_heads, p.head_dim / 32};
  const Shape k = {pages, p.page_size, p.kv_heads, p.head_dim / 32};
  if (p.page_size % 32 != 0) return {e8m0, fp32, q, k, {1}};
  return {e8m0, e8m0, q, k, {pages, p.page_size / 32, p.kv_heads, p.value_columns()}};
}

} // namespace

void check_shapes(const Problem& p, const Tensors& t) {
  const int64_t pages = t.pool_pages(), batch = static_cast<int64_t>(p.requests.size());
  const DescaleShapes descales = descale_shapes(p, pages);
  const bool mx_q = p.quantisation == Quantisation::mx;
  const auto original_pool = [&](int columns) { return Shape{pages, p.page_size, p.kv_heads, columns}; };
  const Shape q = {p.total_queries(), p.query_heads, p.head_dim};
  const Shape none;
  const auto original = [&](const Tensor& tensor, const Shape& shape) {
    return tensor.empty() ? none : shape;
  };
  const Expected table[] = {
      {"q", t.q, p.query_type, q},
      {"k_pool", t.k_pool, p.kv_type, k_pool_shape(p, pages)},
      {"v_pool", t.v_pool, p.kv_type, v_pool_shape(p, pages)},
      {"q_descale", t.q_descale, mx_q ? e8m0 : fp32, descales.q},
      {"k_descale", t.k_descale, descales.type, descales.k},
      {"v_descale", t.v_descale, descales.v_type, descales.v},
      {"sink_logit", t.sink_logit, fp32, p.sink_logit ? Shape{p.query_heads} : none},
      {"q_indptr", t.q_indptr, int32, {batch + 1}},
      {"tree_mask", t.tree_mask, int32, p.tree_nodes > 0 ? Shape{p.total_queries(), 2} : none},
      {"q_original", t.q_original, fp32, original(t.q_original, q)},
      {"k_original", t.k_original, fp32, original(t.k_original, original_pool(p.head_dim))},
      {"v_original", t.v_original, fp32, original(t.v_original, original_pool(p.value_columns()))},
  };
  check_expected(table);
}

} // namespace fmha950::operators
