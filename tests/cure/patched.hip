// Kernels that are compiled twice: as they are, and with the instructions of PATCH, as clang assembles them.
#include "gfx950/waits.hpp"
#include "tests/corpus/corpus_kernel.hpp"

#ifdef PATCHED
#define PATCH(TEXT) TEXT "\n\t"
#else
#define PATCH(TEXT) ""
#endif

// A loop of loads and sums, with a place in front of what it reads, at its end, and behind it. As assembly, so that the
// compiler has the same code around the patch.
#define LOOP(NAME, BEFORE, INSIDE, BEHIND)                                                                   \
  CORPUS_KERNEL(NAME, 128) {                                                                                 \
    uint32_t sum, value, turn, at;                                                                           \
    asm volatile("v_mov_b32 %0, 0\n\t"                                                                       \
                 "s_mov_b32 %2, 0\n\t"                                                                       \
                 "v_mov_b32 %3, %4\n" BEFORE "1:\n\t"                                                        \
                 "global_load_dword %1, %3, %5\n\t"                                                          \
                 "s_waitcnt vmcnt(0)\n\t" INSIDE "v_add_u32 %0, %0, %1\n\t"                                  \
                 "v_add_u32 %3, 512, %3\n\t"                                                                 \
                 "s_add_u32 %2, %2, 128\n\t"                                                                 \
                 "s_cmp_lt_u32 %2, %6\n\t"                                                                   \
                 "s_cbranch_scc1 1b\n\t" BEHIND "s_nop 0"                                                    \
                 : "=&v"(sum), "=&v"(value), "=&s"(turn), "=&v"(at)                                          \
                 : "v"(thread_id() * 4), "s"(arguments.in), "s"(arguments.n)                                 \
                 : "memory", "scc");                                                                         \
    arguments.out[thread_id()] = sum;                                                                        \
  }

LOOP(wait_before, PATCH("\ts_waitcnt lgkmcnt(0)"), "", "")
LOOP(nop_before, PATCH("\ts_nop 7"), "", "")
LOOP(barrier_before, PATCH("\ts_barrier"), "", "")
LOOP(wait_inside, "", PATCH("s_waitcnt vmcnt(0)"), "")
LOOP(nop_inside, "", PATCH("s_nop 3"), "")
LOOP(barrier_inside, "", PATCH("s_barrier"), "")
LOOP(wait_and_barrier_inside, "", PATCH("s_waitcnt vmcnt(0) lgkmcnt(0)\n\ts_barrier"), "")
LOOP(wait_behind, "", "", PATCH("s_waitcnt lgkmcnt(0)"))
LOOP(nop_behind, "", "", PATCH("s_nop 15\n\ts_nop 15"))
LOOP(barrier_behind, "", "", PATCH("s_barrier"))
