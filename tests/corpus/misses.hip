// Kernels with the classic mistakes, one each: the device has to report them.
#include "gfx950/buffer_resource.hpp"
#include "gfx950/global.hpp"
#include "gfx950/lds_dma.hpp"
#include "gfx950/waits.hpp"
#include "tests/corpus/corpus_kernel.hpp"

// LDS DMA, then a barrier, but no wait for the DMA before it.
CORPUS_KERNEL(dma_without_wait, 128) {
  __shared__ uint32_t words[128];
  const BufferResource in = raw_buffer(arguments.in, arguments.n * 4);
  load_to_lds<4>(in, thread_id() * 4, (LdsPointer)(words + wave_id() * 64));
  barrier();
  uint32_t value;
  asm volatile("ds_read_b32 %0, %1\n\ts_waitcnt lgkmcnt(0)"
               : "=v"(value)
               : "v"(lds_address((LdsPointer)words) + (127 - thread_id()) * 4)
               : "memory");
  arguments.out[thread_id()] = value;
}

// A register is written while the load into it is on its way.
CORPUS_KERNEL(overwritten_in_flight, 64) {
  uint32_t value;
  asm volatile("global_load_dword %0, %1, %2\n\tv_mov_b32 %0, 5\n\ts_waitcnt vmcnt(0)"
               : "=&v"(value)
               : "v"(lane_id() * 4), "s"(arguments.in)
               : "memory");
  arguments.out[lane_id()] = value;
}

// Two waves write the same words between two barriers.
CORPUS_KERNEL(two_writers, 128) {
  __shared__ uint32_t words[64];
  words[lane_id()] = arguments.in[thread_id()];
  sync();
  arguments.out[thread_id()] = words[lane_id()];
}

// Scalar loads return in any order: lgkmcnt(1) promises nothing about the first.
CORPUS_KERNEL(scalar_out_of_order, 64) {
  uint32_t first, second, copy;
  asm volatile("s_load_dword %0, %3, 0x0\n\ts_load_dword %1, %3, 0x4\n\ts_waitcnt lgkmcnt(1)\n\t"
               "s_mov_b32 %2, %0\n\ts_waitcnt lgkmcnt(0)"
               : "=&s"(first), "=&s"(second), "=&s"(copy)
               : "s"(arguments.in));
  arguments.out[lane_id()] = copy + second;
}

// An address from a register that nobody has written.
CORPUS_KERNEL(uninitialised_address, 64) {
  uint32_t value;
  asm volatile("v_and_b32 v40, 0xfc, v40\n\tglobal_load_dword %0, v40, %1\n\ts_waitcnt vmcnt(0)"
               : "=v"(value)
               : "s"(arguments.in)
               : "memory", "v40");
  arguments.out[lane_id()] = value;
}

// The result of a matrix instruction is read too early.
CORPUS_KERNEL(missing_nop, 64) {
  uint32_t value;
  asm volatile("v_mov_b32 v20, 0\n\tv_mov_b32 v21, 0\n\tv_mov_b32 v22, 0\n\tv_mov_b32 v23, 0\n\t"
               "v_mov_b32 v24, %1\n\tv_mov_b32 v25, %1\n\ts_nop 1\n\t"
               "v_mfma_f32_16x16x16_f16 v[20:23], v[24:25], v[24:25], v[20:23]\n\t"
               "v_mov_b32 %0, v20"
               : "=v"(value)
               : "v"(arguments.in[lane_id()])
               : "v20", "v21", "v22", "v23", "v24", "v25");
  arguments.out[lane_id()] = value;
}

// After a barrier of both, one wave waits at another that the other wave never comes to.
CORPUS_KERNEL(diverged_barrier, 128) {
  barrier();
  if (wave_id() == 0) barrier();
  arguments.out[thread_id()] = arguments.in[thread_id()];
}

// A loop whose end never comes.
CORPUS_KERNEL(runaway_loop, 64) {
  asm volatile("s_mov_b32 s20, 1\n1:\n\ts_nop 0\n\ts_cmp_eq_u32 s20, 0\n\ts_cbranch_scc0 1b" ::
                   : "s20", "scc");
  arguments.out[lane_id()] = arguments.in[lane_id()];
}

// One word behind the input.
CORPUS_KERNEL(past_the_end, 64) { arguments.out[lane_id()] = arguments.in[lane_id() + arguments.n - 63]; }
