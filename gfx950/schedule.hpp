#pragma once
// What the compiler's scheduler is asked to do between two schedule fences
// (LLVM AMDGPUUsage, sched.group.barrier).

#include "gfx950/kernel.hpp"

namespace fmha950::gfx950 {

// COUNT times: one matrix instruction, then so many vector and transcendental ones, which run beside it.
template <int COUNT, int VALU, int TRANS> FMHA950_INLINE void interleave_with_mfma() {
  constexpr int valu = 0x2, mfma = 0x8, trans = 0x400; // instruction classes
  for (int i = 0; i < COUNT; ++i) {
    __builtin_amdgcn_sched_group_barrier(mfma, 1, 0);
    if constexpr (TRANS > 0) __builtin_amdgcn_sched_group_barrier(trans, TRANS, 0);
    if constexpr (VALU > 0) __builtin_amdgcn_sched_group_barrier(valu, VALU, 0);
  }
}

} // namespace fmha950::gfx950
