#pragma once
// DESIGN.md section 2 as scalar loops, one query row at a time.

#include "random_case.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace fmha950::test {

struct Row {
  std::vector<double> output;
  double lse = 0;
};

// Whether a query sees a key as far as a tree has a say: word and bit of the query's row, as tensors.hpp has it.
inline bool tree_shows(const RandomCase& c, int request, int query, int key) {
  const Problem& p = c.problem;
  const int Lq = p.requests[request].query_length, Lk = p.requests[request].key_length;
  const int n = std::min({p.tree_nodes, Lq, Lk});
  const int node = query - (Lq - n), other = key - (Lk - n);
  if (node < 0 || other < 0) return true;
  const size_t row = c.tensors.q_indptr.as<int32_t>()[request] + query;
  const auto word = uint32_t(c.tensors.tree_mask.as<int32_t>()[2 * row + other / 32]);
  return (word >> (other % 32) & 1) != 0;
}

// `round_p` rounds exp(s - max) * 2^shift as it enters the sum over V; the denominator is summed without it.
inline Row brute_force(
    const RandomCase& c, int request, int query, int head,
    const std::function<double(double)>& round_p = [](double p) { return p; }, double shift = 0) {
  const Problem& p = c.problem;
  const int Lq = p.requests[request].query_length, Lk = p.requests[request].key_length;
  const int kv_head = head / (p.query_heads / p.kv_heads);
  const double scale = p.scale ? double(*p.scale) : 1 / std::sqrt(double(p.head_dim));
  const int a = Lk - Lq + query;
  const int left = p.window ? p.window->left : Lk + Lq;
  const int right = p.causal ? 0 : p.window ? p.window->right : Lk + Lq;
  std::vector<double> score(Lk);
  std::vector<bool> seen(Lk);
  double maximum = -INFINITY;
  for (int j = 0; j < Lk; ++j) {
    seen[j] = j <= a + right && (j < p.sink_tokens || j >= a - left) && tree_shows(c, request, query, j);
    if (!seen[j]) continue;
    double s = 0;
    for (int d = 0; d < p.head_dim; ++d)
      s += c.q[request].at(query, head, d) * c.k[request].at(j, kv_head, d);
    s *= scale;
    if (p.soft_cap > 0) s = p.soft_cap * std::tanh(s / p.soft_cap);
    score[j] = s;
    maximum = std::max(maximum, s);
  }
  const int columns = p.value_columns();
  Row row{std::vector<double>(columns, 0.0), 0};
  double denominator = 0;
  for (int j = 0; j < Lk; ++j) {
    if (!seen[j]) continue;
    const double weight = std::exp(score[j] - maximum) * std::exp2(shift);
    denominator += weight;
    for (int d = 0; d < columns; ++d) row.output[d] += round_p(weight) * c.v[request].at(j, kv_head, d);
  }
  denominator *= std::exp2(-shift);
  const double of_keys = denominator > 0 ? std::exp(maximum) * denominator : 0;
  const double of_sink = p.sink_logit ? std::exp(double(c.tensors.sink_logit.as<float>()[head])) : 0;
  row.lse = std::log(of_keys + of_sink);
  for (double& value : row.output)
    value = of_keys > 0 ? value * std::exp2(-shift) * std::exp(maximum) / (of_keys + of_sink) : 0;
  return row;
}

} // namespace fmha950::test
