#pragma once
// The ways through a kernel's code from one instruction to another: where something could stand that orders the two. Waves
// that the code sends different ways have none between them, and meet at barriers all the same.

#include "emulator/loader/code_object.hpp"

#include <cstdint>
#include <string>

namespace fmha950::static_check {

// A line for each instruction to which execution may come from the first one, in the order of the code; fields separated by
// tabs:
//   its offset, as those of the two from the kernel's entry
//   instructions from the earlier one to it, by the shortest way (at least 1: round a loop it may be the earlier one itself)
//   instructions from it to the later one (0: it is that), "-" if there is no way
//   "every" if whatever stands before it is passed on every way from the earlier to the later one, "some", or "none"
//   what it is: "barrier", "wait", "condition" (a branch that may be taken), "branch", or "-"
//   depth of its innermost loop, source line, text
// Throws LoadError if the kernel's entry is no code, std::invalid_argument for an offset at which no instruction begins.
std::string list_ways(const loader::Kernel& kernel, uint64_t earlier, uint64_t later);

} // namespace fmha950::static_check
