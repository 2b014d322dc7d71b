#include "interface/validate_detail.hpp"
#include "operators/paged/definition.hpp"

#include <cmath>

namespace fmha950::operators {
namespace {

using namespace validation;

template <class... Index> void check_descale(const char* name, float value, Index... index) {
  if (!(std::isfinite(value) && value > 0)) refuse(name, value, "must be finite and positive", index...);
  if (!std::isnormal(value)) refuse(name, value, "must be no subnormal number", index...);
  if (value > largest_descale)
    refuse(name, value,
           fmt::format("must be at most {}, or 448 times it is infinite in fp32", largest_descale), index...);
}

void check_scalar(const char* name, const Tensor& tensor) { check_descale(name, tensor.as<float>()[0], 0); }

void check_page_scales(const char* name, const Tensor& tensor, const Problem& p, const Tensors& t) {
  const auto values = tensor.as<float>();
  for (int32_t page : touched_pages(p, t))
    for (int head = 0; head < p.kv_heads; ++head)
      check_descale(name, values[int64_t(page) * p.kv_heads + head], page, head);
}

// Checks the `codes` codes of row `row`, of elements of type `stored`: all must be valid.
void check_e8m0_row(const char* name, ElementType stored, const Tensor& tensor, int64_t row, int64_t codes) {
  const auto values = tensor.as<uint8_t>();
  for (int64_t i = row * codes; i < (row + 1) * codes; ++i) check_e8m0_descale(name, stored, values[i], i);
}

void check_mx_scales(const Problem& p, const Tensors& t) {
  check_e8m0_row("q_descale", p.query_type, t.q_descale, 0, t.q_descale.elements());
  const bool v_blocks = p.page_size % 32 == 0; // whatever an empty pool's tensor says of its type
  if (!v_blocks) check_scalar("v_descale", t.v_descale);
  for (size_t i = 0; i < p.requests.size(); ++i)
    for (int token = 0; token < p.requests[i].key_length; ++token) {
      const int64_t page = page_of(p, t, static_cast<int>(i), token);
      const int slot = token % p.page_size;
      check_e8m0_row("k_descale", p.kv_type, t.k_descale, page * p.page_size + slot,
                     int64_t(p.kv_heads) * p.head_dim / 32);
      if (v_blocks && slot % 32 == 0)
        check_e8m0_row("v_descale", p.kv_type, t.v_descale, (page * p.page_size + slot) / 32,
                       int64_t(p.kv_heads) * p.value_columns());
    }
}

} // namespace

void check_descales(const Problem& p, const Tensors& t) {
  switch (p.quantisation) {
  case Quantisation::none: return;
  case Quantisation::mx: return check_mx_scales(p, t);
  case Quantisation::per_tensor:
    check_scalar("q_descale", t.q_descale);
    check_scalar("k_descale", t.k_descale);
    return check_scalar("v_descale", t.v_descale);
  case Quantisation::page:
    check_scalar("q_descale", t.q_descale);
    check_page_scales("k_descale", t.k_descale, p, t);
    return check_page_scales("v_descale", t.v_descale, p, t);
  }
}

} // namespace fmha950::operators
