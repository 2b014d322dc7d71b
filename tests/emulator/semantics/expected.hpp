#pragma once
// The state that one instruction leaves, worked out lane by lane: modifiers and MODE around a Reference.

#include "tests/emulator/semantics/variant.hpp"

namespace fmha950::semantics {

struct State { // what the instruction may read or write
  uint32_t vgpr[8][64];
  uint64_t exec, vcc, carry_in, carry_out, scalar;
  uint32_t mode;
};

struct Expected {
  State after;
  uint32_t unspecified[2][64] = {}; // bits of v6, v7 that depend on which NaN comes out
};

Expected expected(const Variant& variant, const State& before);

} // namespace fmha950::semantics
