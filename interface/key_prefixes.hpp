#pragma once
// The same query row once per prefix of its keys, each as a row that sees its prefix and nothing else: one
// call of the oracle gives the sums over all of them.

#include "interface/query_row.hpp"
#include "interface/tensors.hpp"

#include <vector>

namespace fmha950 {

struct KeyPrefixes {
  Problem problem;
  Tensors tensors;
  std::vector<QueryRow> rows; // one per length
  int head = 0;               // that stands for the head asked about
};

} // namespace fmha950
