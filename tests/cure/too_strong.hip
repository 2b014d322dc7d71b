// Kernels that wait for more than they need, and twins that only seem to.
#include "gfx950/lds.hpp"
#include "gfx950/waits.hpp"
#include "tests/corpus/corpus_kernel.hpp"

// Each of the two could go while the other stays.
CORPUS_KERNEL(either_wait, 64) {
  uint32_t value, sum;
  asm volatile("global_load_dword %0, %2, %3\n\t"
               "s_waitcnt vmcnt(0)\n\t"
               "s_waitcnt vmcnt(0)\n\t"
               "v_add_u32 %1, 1, %0"
               : "=&v"(value), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in)
               : "memory");
  arguments.out[lane_id()] = sum;
}

// The first wait may let the second load be in flight, then the second one is needed; the third waits for nothing.
CORPUS_KERNEL(looser_wait, 64) {
  uint32_t first, second, sum;
  asm volatile("global_load_dword %0, %3, %4\n\t"
               "global_load_dword %1, %3, %4 offset:256\n\t"
               "s_waitcnt vmcnt(0)\n\t"
               "v_add_u32 %2, 1, %0\n\t"
               "s_waitcnt vmcnt(0)\n\t"
               "v_mul_lo_u32 %1, %1, 0\n\t"
               "v_add_u32 %2, %2, %1"
               : "=&v"(first), "=&v"(second), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in)
               : "memory");
  asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)" ::: "memory");
  arguments.out[lane_id()] = sum;
}

// Of odd n the way that is taken has a wait of its own, the other one does not.
CORPUS_KERNEL(other_path, 64) {
  uint32_t value, sum;
  asm volatile("global_load_dword %0, %2, %3\n\t"
               "s_waitcnt vmcnt(0)\n\t"
               "s_bitcmp1_b32 %4, 0\n\t"
               "s_cbranch_scc1 1f\n\t"
               "v_add_u32 %1, 1, %0\n\t"
               "s_branch 2f\n"
               "1:\n\t"
               "s_waitcnt vmcnt(0)\n\t"
               "v_add_u32 %1, 1, %0\n"
               "2:"
               : "=&v"(value), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in), "s"(arguments.n)
               : "memory", "scc");
  arguments.out[lane_id()] = sum;
}

// A result of 8 wait states, and twice as many.
CORPUS_KERNEL(longer_nop, 64) {
  uint32_t value;
  asm volatile("v_mov_b32 v20, 0\n\tv_mov_b32 v21, 0\n\tv_mov_b32 v22, 0\n\tv_mov_b32 v23, 0\n\t"
               "v_mov_b32 v24, 0\n\tv_mov_b32 v25, 0\n\ts_nop 1\n\t"
               "v_mfma_f32_16x16x16_f16 v[20:23], v[24:25], v[24:25], v[20:23]\n\t"
               "s_nop 15\n\t"
               "v_mov_b32 %0, v20"
               : "=v"(value)::"v20", "v21", "v22", "v23", "v24", "v25");
  arguments.out[lane_id()] = value + arguments.in[lane_id()] + 1;
}

// A word goes through LDS from one work-item to another, with a barrier between.
__device__ inline void through_lds(const Arguments& arguments, uint32_t* words, uint32_t from) {
  const uint32_t address = lds_address((LdsPointer)words);
  const uint32_t given = thread_id() + 1; // not loaded: a load and the store behind the barrier might meet
  uint32_t value;
  asm volatile("ds_write_b32 %0, %1\n\ts_waitcnt lgkmcnt(0)" ::"v"(address + thread_id() * 4), "v"(given)
               : "memory");
  barrier();
  asm volatile("ds_read_b32 %0, %1\n\ts_waitcnt lgkmcnt(0)"
               : "=v"(value)
               : "v"(address + from * 4)
               : "memory");
  arguments.out[thread_id()] = value + 1;
}
CORPUS_KERNEL(barrier_within_wave, 128) {
  __shared__ uint32_t words[128];
  through_lds(arguments, words, thread_id() ^ 32);
}
CORPUS_KERNEL(barrier_between_waves, 128) {
  __shared__ uint32_t words[128];
  through_lds(arguments, words, thread_id() ^ 64);
}

// One wave has its second barrier before, the other behind that which both have: only all of a pair could go.
CORPUS_KERNEL(one_ahead, 128) {
  const bool ahead = wave_id() == 1;
  if (ahead) barrier();
  arguments.out[thread_id()] = arguments.in[thread_id()] + 1;
  barrier();
  if (!ahead) barrier();
}
