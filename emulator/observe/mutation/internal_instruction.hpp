#pragma once
// Instructions that a change may put into a kernel: they move no data (ISA guide, "SOPP": s_nop 0, s_branch 2, s_barrier 10,
// s_waitcnt 12).

#include "emulator/program/program.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace fmha950::observe {

isa::Instruction s_branch(uint64_t address); // its target is set by who places it

// "s_waitcnt vmcnt(4) lgkmcnt(0);s_barrier;s_nop 3". Empty, and `error` says what would be right.
std::vector<isa::Instruction> parse_internal(std::string_view text, std::string& error);

} // namespace fmha950::observe
