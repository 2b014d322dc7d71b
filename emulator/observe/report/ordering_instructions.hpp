#pragma once
// How few instructions order all of a set of pairs, each at one place of the code.

#include "emulator/observe/report/report.hpp"

#include <span>

namespace fmha950::observe {

bool have_common_place(const Report& a, const Report& b); // of one kernel

// For each of `members`, which are numbers in `reports`, of one function, and each with places, the number of an
// instruction that orders it.
std::vector<size_t> fewest_ordering_instructions(std::span<const Report> reports,
                                                 std::span<const size_t> members);

} // namespace fmha950::observe
