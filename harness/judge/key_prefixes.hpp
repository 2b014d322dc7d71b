#pragma once
// The same query row once per prefix of its keys, each as a row that sees its prefix and nothing else: one
// call of the oracle gives the sums over all of them.

#include "interface/oracle.hpp"

namespace fmha950::harness {

struct KeyPrefixes {
  Problem problem;
  Tensors tensors;
  std::vector<QueryRow> rows; // one per length
  int head = 0;               // that stands for the head asked about
};

// `lengths` ascend. Keys are those of the row's request from the first on, or of sparse_prefill's token in
// list order. There is neither mask nor sink logit.
KeyPrefixes key_prefixes(const Problem& problem, const Tensors& tensors, QueryRow row, int head,
                         const std::vector<int>& lengths);

} // namespace fmha950::harness
