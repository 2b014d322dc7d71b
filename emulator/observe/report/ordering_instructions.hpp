#pragma once
// How few instructions order all of a set of pairs, each at one place of the code.

#include "emulator/observe/report/report.hpp"

#include <span>

namespace fmha950::observe {

bool have_common_place(const Report& a, const Report& b); // of one kernel

struct OrderedBy {
  size_t number = 0;          // of an instruction
  bool others_do_too = false; // of those that were chosen
};
// For each of `members`, which are numbers in `reports`, of one function, and each with places.
std::vector<OrderedBy> fewest_ordering_instructions(std::span<const Report> reports,
                                                    std::span<const size_t> members);

} // namespace fmha950::observe
