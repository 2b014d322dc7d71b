// Kernels that show what the machine does with workgroups, waves, barriers, calls and scratch.
#include "gfx950/kernel.hpp"

namespace {
using fmha950::gfx950::thread_id;

__device__ __attribute__((noinline)) uint32_t collatz_steps(uint32_t n) {
  uint32_t steps = 0;
  for (; n != 1; ++steps) n = n % 2 ? 3 * n + 1 : n / 2;
  return steps;
}
} // namespace

extern "C" {

// out[global work-item] = its ids, packed.
__global__ void ids(uint32_t* out) {
  const uint32_t x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(),
                 z = __builtin_amdgcn_workitem_id_z();
  const uint32_t gx = __builtin_amdgcn_workgroup_id_x(), gy = __builtin_amdgcn_workgroup_id_y(),
                 gz = __builtin_amdgcn_workgroup_id_z();
  const uint32_t workgroup = (gz * 3 + gy) * 5 + gx;
  out[((workgroup * 2 + z) * 3 + y) * 40 + x] = gx | gy << 4 | gz << 8 | x << 12 | y << 20 | z << 24;
}

// Sum over the workgroup through LDS: wrong without the barriers.
__global__ void group_sum(uint32_t* out) {
  __shared__ uint32_t values[512];
  values[thread_id()] = thread_id() + 1;
  for (uint32_t half = 256; half > 0; half /= 2) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    if (thread_id() < half) values[thread_id()] += values[thread_id() + half];
  }
  if (thread_id() == 0) out[__builtin_amdgcn_workgroup_id_x()] = values[0];
}

__global__ void calls(uint32_t* out) { out[thread_id()] = collatz_steps(thread_id() + 1); }

// A private array indexed by a run-time value lives in scratch.
__global__ void scratch(uint32_t* out, uint32_t stride) {
  volatile uint32_t local[32];
  for (uint32_t i = 0; i < 32; ++i) local[i * stride % 32] = i * 1000 + thread_id();
  out[thread_id()] = local[thread_id() % 32];
}

// Waves leave before the barrier that the others meet.
__global__ void early_exit(uint32_t* out) {
  __shared__ uint32_t flag;
  if (thread_id() >= 128) return;
  if (thread_id() == 0) flag = 7;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[thread_id()] = flag;
}

__global__ void runaway(volatile uint32_t* out) {
  while (*out == 0) {
  }
}

// HW_ID and XCC_ID of each of 16 waves.
__global__ void places(uint32_t* out) {
  if (thread_id() % 64) return;
  uint32_t* mine = out + 2 * (__builtin_amdgcn_workgroup_id_x() * 16 + thread_id() / 64);
  mine[0] = __builtin_amdgcn_s_getreg(4 | 31 << 11);
  mine[1] = __builtin_amdgcn_s_getreg(20 | 31 << 11);
}

// Wave 0 sets a flag in LDS and does not wait for it to be there: it stands at the barrier, or sleeps until wave 1,
// which polls the flag, has answered through memory.
__global__ void flag_without_wait(volatile uint32_t* out, uint32_t sleeps) {
  __shared__ uint32_t flag;
  const uint32_t address = (uint32_t)(__attribute__((address_space(3))) uint32_t*)&flag;
  if (thread_id() == 0) flag = 0;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  if (thread_id() < 64) {
    asm volatile("ds_write_b32 %0, %1" ::"v"(address), "v"(5) : "memory");
    while (sleeps && out[0] == 0) __builtin_amdgcn_s_sleep(1);
  } else {
    uint32_t seen = 0;
    while (seen == 0)
      asm volatile("ds_read_b32 %0, %1\n s_waitcnt lgkmcnt(0)" : "=v"(seen) : "v"(address) : "memory");
    out[0] = seen;
  }
  asm volatile("s_barrier" ::: "memory");
}

__global__ void traps(uint32_t* out) {
  if (out[0] == 0) __builtin_trap();
}

__global__ void near_call(uint32_t* out) {
  uint32_t value;
  asm volatile("s_call_b64 s[20:21], 1f\n s_branch 2f\n1: v_mov_b32 %0, 42\n s_setpc_b64 s[20:21]\n2:"
               : "=v"(value)
               :
               : "s20", "s21");
  out[thread_id()] = value;
}

__global__ void divide(float* out, float divisor) { out[thread_id()] /= divisor; }

__global__ void stray_write(uint32_t* out) { out[1 << 28] = 1; }

} // extern "C"
