#pragma once
// The ways from one instruction to another through the code that a kernel's launches execute: where something could stand that
// orders the two. Waves that the code sends different ways have none between them, and meet at barriers all the same.
// A call leads into the function, whose return leads behind every call of it. So some ways are none that a wave goes: what is on
// every way of these is on every way of a wave. A call whose target the code does not say leads behind itself.

#include "emulator/loader/code_object.hpp"

#include <string>

namespace fmha950::static_check {

// A line for each instruction to which execution may come from the first one, in the order of the code, that of the kernel
// before those of called functions; fields separated by tabs:
//   its place, as those of the two: "0x10" from the kernel's entry, or "FUNCTION+0x10" of a function that is called
//   instructions from the earlier one to it, by the shortest way (at least 1: round a loop it may be the earlier one itself)
//   instructions from it to the later one (0: it is that), "-" if there is no way
//   "every" if whatever stands before it is passed on every way from the earlier to the later one, "some", or "none"
//   what it is: "barrier", "wait", "condition" (a branch that may be taken), "branch", or "-"
//   depth of its innermost loop, with those around a call
//   branches that lead past it, with those around a call (branch_depths.hpp)
//   operations of vector memory, and of LDS, that the wave has begun behind the earlier one and before it, at least: by the way
//   with the fewest. Behind so many younger ones a wait for all but as many has waited for the earlier one
//   source line, text
// Throws LoadError if the kernel's entry is no code, std::invalid_argument for a text that is no place and for an offset at which
// no instruction begins, NotInCode for a function to which no known call leads.
std::string list_ways(const loader::Kernel& kernel, const std::string& earlier, const std::string& later);

} // namespace fmha950::static_check
