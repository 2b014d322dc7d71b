#pragma once
// Where defects are made: keys that weigh much in the judged rows, and keys that weigh as much as most.

#include "harness/sabotage/defect.hpp"

namespace fmha950::harness {

struct KeyTarget {
  int request = 0, kv_head = 0; // of sparse_prefill: token, 0
  int first = 0, last = 0;      // [first, last): keys, or positions in a token's lists
  std::string text(const Problem& problem) const;
};

// Ranges of `keys` keys that begin at multiples of it and that the judged rows see: the one that weighs most,
// and the one in the middle. For requests with more than 32768 keys, where a run takes seconds, only the first.
std::vector<KeyTarget> targets(const SabotagedCase& of, int keys);

} // namespace fmha950::harness
