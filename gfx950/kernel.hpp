#pragma once
// What every kernel needs before its first line: clang's HIP attributes under their usual names (there are no
// HIP headers: -nogpuinc), vector types by role, the place of a thread in its launch, bit casts.

#include "gfx950/wave.hpp"

#include <stdint.h> // clang's own freestanding header

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define FMHA950_INLINE __device__ __attribute__((always_inline)) inline

// A kernel whose workgroups have exactly THREADS threads, and WAVES waves on each SIMD: the compiler may
// use 512 / WAVES registers per wave (vector and accumulation registers are one file; AMDGPUUsage,
// machine_gfx950 6.5).
#define FMHA950_KERNEL(THREADS, WAVES)                                                                       \
  extern "C" __global__                                                                                      \
      __attribute__((amdgpu_flat_work_group_size(THREADS, THREADS), amdgpu_waves_per_eu(WAVES, WAVES)))

namespace fmha950::gfx950 {

template <class T, int N> using Vector = T __attribute__((ext_vector_type(N)));
using bf16 = __bf16;
using fp16 = _Float16;
using Float2 = Vector<float, 2>;
using Float4 = Vector<float, 4>;
using Float16 = Vector<float, 16>;
using Word2 = Vector<uint32_t, 2>;
using Word4 = Vector<uint32_t, 4>;

FMHA950_INLINE uint32_t thread_id() { return __builtin_amdgcn_workitem_id_x(); }
FMHA950_INLINE uint32_t lane_id() { return thread_id() % wave_lanes; }
// Scalar: what is derived from it stays in SGPRs and branches on it are scalar branches.
FMHA950_INLINE uint32_t wave_id() { return __builtin_amdgcn_readfirstlane(thread_id() / wave_lanes); }
FMHA950_INLINE uint32_t workgroup_id_x() { return __builtin_amdgcn_workgroup_id_x(); }
FMHA950_INLINE uint32_t workgroup_id_y() { return __builtin_amdgcn_workgroup_id_y(); }

// By value, and only by value:
// clang 22 reads element 0 when __builtin_bit_cast is given a vector element v[i].
template <class To, class From> FMHA950_INLINE To bits_as(From value) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(To, value);
}

// As many ones as `count`, at most 31. With the page size's logarithm, they mask a place's offset in its page.
FMHA950_INLINE constexpr uint32_t low_bits(uint32_t count) { return (1u << count) - 1; }

template <class T> FMHA950_INLINE T minimum(T a, T b) { return a < b ? a : b; }
template <class T> FMHA950_INLINE T maximum(T a, T b) { return a < b ? b : a; }

} // namespace fmha950::gfx950
