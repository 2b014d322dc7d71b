#pragma once
// A problem by its case string with the tensors that the workload makes for it, read as interface/tensors.hpp documents them.

#include "interface/case_string.hpp"
#include "workload/generate.hpp"
#include "workload/trace.hpp"

#include <string>

namespace fmha950::test {

struct GeneratedCase {
  explicit GeneratedCase(const std::string& text)
      : problem(parse_case(
            (text.find("h=") == text.npos ? "batch_prefill/h=4:2/d=128/" : "batch_prefill/d=128/") + text)) {
    workload::resolve_trace(problem);
    tensors = workload::make_tensors(problem);
  }
  Problem problem;
  Tensors tensors;

  // Dequantised straight from the layouts and scales that interface/tensors.hpp documents.
  float key(int request, int token, int head, int column) const {
    return pool_value(false, request, token, head, column);
  }
  float value(int request, int token, int head, int column) const {
    return pool_value(true, request, token, head, column);
  }
  float original(bool v, int request, int token, int head, int column) const {
    const Tensor& t = v ? tensors.v_original : tensors.k_original;
    const int64_t row =
        (page(request, token) * problem.page_size + token % problem.page_size) * problem.kv_heads + head;
    return t.value(row * problem.head_dim + column);
  }
  int64_t page(int request, int token) const { return page_of(problem, tensors, request, token); }

 private:
  float pool_value(bool v, int request, int token, int head, int column) const {
    const int64_t p = page(request, token), heads = problem.kv_heads, d = problem.head_dim,
                  size = problem.page_size;
    const int64_t slot = token % size, x = 128 / element_bits(problem.kv_type);
    const Tensor& pool = v ? tensors.v_pool : tensors.k_pool;
    const Tensor& scale = v ? tensors.v_descale : tensors.k_descale;
    int64_t index = ((p * size + slot) * heads + head) * d + column;
    if (problem.kv_layout == KvLayout::hnd) index = ((p * heads + head) * size + slot) * d + column;
    if (problem.kv_layout == KvLayout::vectorized)
      index = v ? (((p * heads + head) * (size / x) + slot / x) * d + column) * x + slot % x
                : (((p * heads + head) * (d / x) + column / x) * size + slot) * x + column % x;
    float descale = 1;
    if (scale.elements() == 1)
      descale = scale.value(0);
    else if (problem.quantisation == Quantisation::page)
      descale = scale.value(p * heads + head);
    else if (problem.quantisation == Quantisation::mx)
      descale = scale.value(v ? ((p * (size / 32) + slot / 32) * heads + head) * d + column
                              : ((p * size + slot) * heads + head) * (d / 32) + column / 32);
    return pool.value(index) * descale;
  }
};

} // namespace fmha950::test
