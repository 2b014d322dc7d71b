#pragma once
// Page tables as lists that can be changed and put back, whichever form the problem's tables have.

#include "interface/tensors.hpp"

#include <vector>

namespace fmha950::harness {

// Page ids of each request, in the order of its tokens.
std::vector<std::vector<int32_t>> page_lists(const Problem& problem, const Tensors& tensors);
// Makes the tables anew, of the problem's lengths.
void set_page_lists(const Problem& problem, const std::vector<std::vector<int32_t>>& lists, Tensors& tensors);

} // namespace fmha950::harness
