#pragma once
// What the corpus's kernels share: one argument, a workgroup barrier that the compiler sees, waves.

#include "gfx950/kernel.hpp"

// `in` has `n` words; what `out` holds is each kernel's own.
struct Arguments {
  const uint32_t* in;
  uint32_t* out;
  uint32_t n;
};
#define CORPUS_KERNEL(NAME, THREADS)                                                                         \
  extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(THREADS, THREADS))) void NAME(            \
      Arguments arguments)

namespace {

using namespace fmha950::gfx950;

// The compiler waits for what it has in flight.
__device__ inline void sync() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
// Global work-item.
__device__ inline uint32_t item(uint32_t threads) { return workgroup_id_x() * threads + thread_id(); }

} // namespace
