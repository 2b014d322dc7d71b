#pragma once
// Which slots of a KV pool some query has to read.

#include "interface/problem.hpp"
#include "interface/tensors.hpp"

#include <cstdint>
#include <vector>

namespace fmha950::workload {

struct SeenSlots { // [first_slot, last_slot) of a page: tokens of a request from first_token on
  int32_t page = 0;
  int first_slot = 0, last_slot = 0;
  int request = 0, first_token = 0;
};

// For every request with queries, the tokens that one of its queries sees. A request that appends has only its old
// tokens here, because the call itself fills the others. Ordered by page. What several requests share stands here
// once, as far as one of them has all of it.
std::vector<SeenSlots> seen_slots(const Problem& problem, const Tensors& tensors);

} // namespace fmha950::workload
