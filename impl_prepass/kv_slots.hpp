#pragma once
// Which pages of the pool a batch touches, renumbered densely: slot s of the scratch holds page pages[s]. Of pages that are
// no power of two a slot holds a block: as many tokens as the largest power of two that divides the page, from
// first_rows[s] on.

#include "interface/problem.hpp"
#include "interface/tensors.hpp"

#include <cstdint>
#include <vector>

namespace fmha950::prepass {

struct KvSlots {
  std::vector<int32_t> pages;       // in the order of first use, so that a request's pages lie together
  std::vector<uint32_t> first_rows; // of the page
  std::vector<int32_t> slots;       // for every request, the slot of each of its pages, or blocks
  std::vector<int32_t> begin;       // [B + 1], first entry of each request in `slots`
};

int rows_of_slot(const Problem& problem);
KvSlots assign_slots(const Problem& problem, const Tensors& tensors);

} // namespace fmha950::prepass
