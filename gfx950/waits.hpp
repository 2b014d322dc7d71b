#pragma once
// Waits, barriers and the order of instructions. The compiler counts only what it can see; LDS DMA and the
// LDS reads of lds.hpp are ours to wait for, with explicit counts (machine_gfx950.md section 1.1).
// Waits and barriers that protect something have a name, by which a mutant leaves them out (mutant.hpp).

#include "gfx950/kernel.hpp"
#include "gfx950/mutant.hpp"

namespace fmha950::gfx950 {

// Until at most OUTSTANDING vector memory operations of this wave are in flight. They complete in issue
// order, loads, stores and LDS DMA alike, so a wait names how many younger ones may stay.
template <int OUTSTANDING> FMHA950_INLINE void wait_vector_memory() {
  static_assert(OUTSTANDING >= 0 && OUTSTANDING < 63, "vmcnt has 6 bits");
  asm volatile("s_waitcnt vmcnt(%0)" ::"n"(OUTSTANDING) : "memory");
}
template <int OUTSTANDING> FMHA950_INLINE void wait_vector_memory(CountedProtection named) {
  if (named.state == CountedProtection::removed) return;
  if (named.state == CountedProtection::loose)
    wait_vector_memory<OUTSTANDING + 1>();
  else
    wait_vector_memory<OUTSTANDING>();
}

// Until at most OUTSTANDING LDS operations of this wave are in flight;
// LDS operations complete in issue order.
template <int OUTSTANDING> FMHA950_INLINE void wait_lds() {
  static_assert(OUTSTANDING >= 0 && OUTSTANDING < 15, "lgkmcnt has 4 bits");
  asm volatile("s_waitcnt lgkmcnt(%0)" ::"n"(OUTSTANDING) : "memory");
}
template <int OUTSTANDING> FMHA950_INLINE void wait_lds(CountedProtection named) {
  if (named.state == CountedProtection::removed) return;
  if (named.state == CountedProtection::loose)
    wait_lds<OUTSTANDING + 1>();
  else
    wait_lds<OUTSTANDING>();
}

// From here on the value counts as new: what uses it cannot be moved above the wait that stands before, and
// what makes it cannot be moved below. Emits nothing. Every register that an inline-assembly load fills goes
// through this after its wait.
template <class T> FMHA950_INLINE void pin(T& value) { asm volatile("" : "+v"(value)); }
template <class T, int N> FMHA950_INLINE void pin(T (&values)[N]) {
  for (int i = 0; i < N; ++i) pin(values[i]);
}

// The same for a scalar: vector instructions that need it in a vector register copy it there each time,
// instead of keeping a copy from before the loop.
template <class T> FMHA950_INLINE void pin_scalar(T& value) { asm volatile("" : "+s"(value)); }

// Results of matrix instructions of 8 passes may be read by vector instructions from here on
// (mfma_gfx950.md section 5.2). clang sees to that by itself. But where a block ends in several branches,
// clang 22 also counts those that are not executed: 11 wait states of 12,
// seen by the device's checks (docs/hazards.md).
template <class T, int N> FMHA950_INLINE void settle(T (&results)[N]) {
  pin(results);
  asm volatile("s_nop 11" ::: "memory");
  pin(results);
}

// s_barrier waits for the workgroup's live waves and for no counter (ISA 12.5):
// waits for data stand before it.
FMHA950_INLINE void barrier() {
  __builtin_amdgcn_sched_barrier(0);
  asm volatile("s_barrier" ::: "memory");
  __builtin_amdgcn_sched_barrier(0);
}
FMHA950_INLINE void barrier(Protection named) {
  if (named.kept) barrier();
}

// Nothing is scheduled across this point.
FMHA950_INLINE void schedule_fence() { __builtin_amdgcn_sched_barrier(0); }

// 0 to 3: which of the SIMD's waves issues first when several are ready (ISA 12.5).
template <int LEVEL> FMHA950_INLINE void priority() { __builtin_amdgcn_s_setprio(LEVEL); }

} // namespace fmha950::gfx950
