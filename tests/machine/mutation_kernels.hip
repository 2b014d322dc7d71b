// A kernel with one of everything that mutation takes away.
#include "gfx950/buffer_resource.hpp"
#include "gfx950/kernel.hpp"

using namespace fmha950::gfx950;

extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(128, 128))) void guarded(uint32_t* out) {
  __shared__ uint32_t shared[128];
  const uint32_t t = thread_id();
  // Registers hold 0xAAAA until the loads arrive.
  uint32_t first = 0xAAAA, second = 0xAAAA, third, fourth;
  asm volatile("global_load_dword %0, %4, %5\n\t"
               "global_load_dword %1, %4, %5 offset:512\n\t"
               "s_waitcnt vmcnt(1)\n\t"
               "v_mov_b32 %2, %0\n\t"
               "s_waitcnt vmcnt(0)\n\t"
               "v_mov_b32 %3, %1"
               : "+v"(first), "+v"(second), "=&v"(third), "=&v"(fourth)
               : "v"(t * 4), "s"(out));
  out[256 + t] = third;
  out[384 + t] = fourth;
  shared[t] = t + 1;
  asm volatile("s_waitcnt lgkmcnt(0)\n\ts_nop 2\n\ts_barrier" ::: "memory");
  out[512 + t] = shared[t ^ 64];
  const BufferResource buffer = raw_buffer(out, 256); // the first 64 words
  out[640 + t] = __builtin_amdgcn_raw_buffer_load_b32(buffer, t * 4, 0, 0);
  out[768 + t] = __builtin_amdgcn_raw_buffer_load_b32(buffer, t * 4 + 4, 0, 0);
}

// A loop that is entered from above and goes round by a branch.
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void looped(uint32_t* out) {
  uint32_t rounds;
  asm volatile("s_mov_b32 %0, 0\n"
               "1:\n\t"
               "s_add_u32 %0, %0, 1\n\t"
               "s_cmp_lt_u32 %0, 5\n\t"
               "s_cbranch_scc1 1b"
               : "=&s"(rounds)::"scc");
  out[thread_id()] = rounds;
}

// A function with protections of its own, which two kernels call; it lies before them.
extern "C" __device__ __attribute__((noinline)) uint32_t loaded(const uint32_t* from) {
  uint32_t value = 0xAAAA, copy;
  asm volatile("global_load_dword %0, %2, off\n\t"
               "s_waitcnt vmcnt(0)\n\t"
               "s_nop 2\n\t"
               "v_mov_b32 %1, %0"
               : "+&v"(value), "=&v"(copy)
               : "v"(from));
  return copy;
}
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void calling(uint32_t* out) {
  uint32_t sum = 0;
#pragma unroll 1
  for (uint32_t i = 0; i < 3; ++i) sum += loaded(out + 64 * i + thread_id());
  out[256 + thread_id()] = sum;
}
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void calling_too(uint32_t* out) {
  out[256 + thread_id()] = loaded(out + thread_id());
}
