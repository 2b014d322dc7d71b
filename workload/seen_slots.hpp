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

// Of every request with queries the tokens that one of them sees; where it appends those of before the call,
// which fills the others itself. Ordered by page; what several requests share stands there once, as far as
// one of them has all of it.
std::vector<SeenSlots> seen_slots(const Problem& problem, const Tensors& tensors);

} // namespace fmha950::workload
