#pragma once
// What a conditional branch goes by: SCC, or whether VCC or EXEC has lanes.

#include "emulator/static_check/code.hpp"

#include <span>

namespace fmha950::static_check {

struct BranchCondition {
  int code = -1; // machine::code::scc, vcc or exec; -1: by something else
  bool taken_at_zero = false;
};
BranchCondition condition_of_branch(const Code& code, size_t branch);

// Whether one of the ranges holds the scalar register.
bool holds_scalar(std::span<const isa::RegisterRange> ranges, int code);
bool holds_exec(std::span<const isa::RegisterRange> ranges); // either half of it

} // namespace fmha950::static_check
