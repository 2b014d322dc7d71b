#pragma once
// An instruction as the model takes it to be under assumptions.

#include "emulator/timing/model/assumptions.hpp"
#include "emulator/timing/record/op.hpp"

namespace fmha950::timing {

inline Op assumed(Op op, const Assumptions& assumptions) {
  const auto take = [&](int clocks) {
    op.result_clocks += clocks - op.clocks;
    op.clocks = clocks;
  };
  if (assumptions.slow_exp && op.kind == Kind::transcendental) take(2 * op.clocks);
  if (op.makes_codes) take(assumptions.code_conversion_clocks);
  if (op.makes_byte) take(assumptions.byte_conversion_clocks);
  op.alone = assumptions.packed_alone && op.kind == Kind::packed_valu;
  return op;
}

} // namespace fmha950::timing
