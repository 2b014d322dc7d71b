#pragma once
// Which LDS instructions of a function poll a flag: a read, or an atomic that returns, in a loop which ends by the
// value that it found and by nothing else (DESIGN.md section 5). clang makes a plain ds_read of a C++ atomic load of
// LDS, so the loop is what tells. It must be contiguous code in which
// - the branch back and every branch out depend on what this instruction returned,
// - its address does not change,
// - there is no store, no other atomic, no LDS DMA, no barrier, no call and no other loop.
// So a list that is walked is not polled (its address changes), nor is a flag that is looked at once.
//
// A read, or the same instruction, of the same address shortly before the loop is part of it if nothing but its value
// decides whether the loop is entered: the compiler's first look at the flag, or the value that a compare-and-swap
// expects at first.

#include "emulator/isa/uses.hpp"

#include <span>
#include <vector>

namespace fmha950::observe {

// `uses`: those of each instruction. Returns the numbers of the instructions that poll.
std::vector<size_t> polling_instructions(std::span<const isa::Instruction> code,
                                         std::span<const isa::Uses> uses);

} // namespace fmha950::observe
