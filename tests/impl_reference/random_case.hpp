#pragma once
// Problems with dense values that are known before anything is paged, laid out or scaled:
// what the oracle must find again behind page tables, layouts and descales.
// Independent of interface/tensors.cpp and impl_reference.

#include "interface/tensors.hpp"

#include <random>

namespace fmha950::test {

// Values of one request: [token][head][column] with `heads` heads of `columns` columns.
struct Dense {
  int heads = 0, columns = 0;
  std::vector<double> values;
  double at(int token, int head, int column) const {
    return values[(size_t(token) * heads + head) * columns + column];
  }
};

struct RandomCase {
  Problem problem;
  Tensors tensors;
  std::vector<Dense> q, k, v; // per request
};

// A random problem over all features of batch_prefill, lengths up to `longest`.
Problem random_problem(std::mt19937& random, int longest);

// Random values for it. Whatever no request may read is poison:
// NaN elements and scales, page ids out of range.
RandomCase fill(const Problem& problem, std::mt19937& random);

} // namespace fmha950::test
