#pragma once
// An instruction as the model takes it to be under assumptions.

#include "emulator/timing/model/assumptions.hpp"
#include "emulator/timing/record/op.hpp"

namespace fmha950::timing {

inline Op assumed(Op op, const Assumptions& assumptions) {
  if (assumptions.slow_exp && op.kind == Kind::transcendental) {
    op.result_clocks += op.clocks;
    op.clocks *= 2;
  }
  return op;
}

} // namespace fmha950::timing
