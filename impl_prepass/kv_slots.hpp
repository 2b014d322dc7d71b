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

// How many slots a head takes so that the heads' scratch, one behind the other, can be placed with no multiple of 4 GiB inside of
// a head's (attention/host/carry.hpp): as many as there are where all of it has less than 4 GiB, else the next power of two, if a
// row's bytes are one. Those that are added hold the last block again.
size_t slots_without_carry(size_t slots, int rows_of_slot, uint64_t heads, int row_bytes);
void add_slots(KvSlots& slots, size_t count);

KvSlots assign_slots(const Problem& problem, const Tensors& tensors);

} // namespace fmha950::prepass
