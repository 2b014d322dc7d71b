#pragma once
// sparse_prefill of DESIGN.md section 2 as scalar loops in extended precision, one token and head at a time.

#include "tests/support/sparse_case.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950::test {

struct SparseRow {
  std::vector<long double> output;
  long double lse = 0;
};

inline SparseRow brute_force(const SparseCase& c, int token, int head) {
  const size_t keys = c.keys[token].size();
  const long double sink = c.problem.sink_logit ? c.tensors.sink_logit.as<float>()[head] : -INFINITY;
  long double maximum = sink;
  std::vector<long double> score(keys);
  for (size_t j = 0; j < keys; ++j) {
    for (int d = 0; d < 512; ++d)
      score[j] += static_cast<long double>(c.query(token, head)[d]) * c.key(token, j)[d];
    score[j] *= *c.problem.scale;
    maximum = std::max(maximum, score[j]);
  }
  SparseRow row{std::vector<long double>(512), -INFINITY};
  if (maximum == -INFINITY) return row;
  long double denominator = std::exp(sink - maximum);
  for (size_t j = 0; j < keys; ++j) {
    const long double weight = std::exp(score[j] - maximum);
    denominator += weight;
    for (int d = 0; d < 512; ++d) row.output[d] += weight * c.key(token, j)[d];
  }
  for (long double& element : row.output) element /= denominator;
  row.lse = maximum + std::log(denominator);
  return row;
}

} // namespace fmha950::test
