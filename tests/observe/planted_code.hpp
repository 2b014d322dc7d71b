#pragma once
// Pieces of the kernels with planted faults (planted_kernels.hip, planted_pairs.hip): accesses that the compiler does not
// wait for, and protections that are there or not.
#include "gfx950/buffer_resource.hpp"

using namespace fmha950::gfx950;

// A fault is a bit of `missing`; the kernel without faults is the cure.
template <unsigned missing> constexpr bool has(unsigned fault) { return !(missing & fault); }

FMHA950_INLINE uint32_t global_id() { return workgroup_id_x() * 128 + thread_id(); }
FMHA950_INLINE uint32_t lane() { return thread_id() % 64; }

using LdsWords = __attribute__((address_space(3))) uint32_t*;
FMHA950_INLINE uint32_t lds_address(uint32_t* words) { return (uint32_t)(LdsWords)words; }

FMHA950_INLINE uint32_t load(const uint32_t* from) {
  uint32_t value;
  asm volatile("global_load_dword %0, %1, off" : "=v"(value) : "v"(from) : "memory");
  return value;
}
FMHA950_INLINE uint32_t load_lds(uint32_t address) {
  uint32_t value;
  asm volatile("ds_read_b32 %0, %1" : "=v"(value) : "v"(address) : "memory");
  return value;
}
FMHA950_INLINE void store_lds(uint32_t address, uint32_t value) {
  asm volatile("ds_write_b32 %0, %1" ::"v"(address), "v"(value) : "memory");
}
FMHA950_INLINE void load_to_lds(uint32_t begin, const uint32_t* from) { // 64 lanes a dword each
  asm volatile("s_mov_b32 m0, %0\n"
               "s_nop 0\n"
               "global_load_lds_dword %1, off\n" ::"s"(__builtin_amdgcn_readfirstlane(begin)),
               "v"(from)
               : "memory");
}

template <class Value> FMHA950_INLINE void stay_behind(Value& value) {
  asm volatile("" : "+v"(value)::"memory");
}
// The registers pass through, so that nothing that uses them comes before.
template <bool there, class... Values> FMHA950_INLINE void wait_vm(Values&... values) {
  if constexpr (there) asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
  (stay_behind(values), ...);
}
template <bool there, class... Values> FMHA950_INLINE void wait_lgkm(Values&... values) {
  if constexpr (there) asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory");
  (stay_behind(values), ...);
}
template <bool there, class... Values> FMHA950_INLINE void wait_both(Values&... values) {
  if constexpr (there) asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)" ::: "memory");
  (stay_behind(values), ...);
}
template <bool there> FMHA950_INLINE void barrier() {
  if constexpr (there) asm volatile("s_barrier" ::: "memory");
}
template <bool there> FMHA950_INLINE void synchronise() {
  if constexpr (there) asm volatile("s_waitcnt vmcnt(0) lgkmcnt(0)\ns_barrier" ::: "memory");
}
FMHA950_INLINE void used(uint32_t value) { asm volatile("; %0" ::"v"(value) : "memory"); }
FMHA950_INLINE uint32_t plus_one(uint32_t value) { // a use that stays where it is
  uint32_t sum;
  asm volatile("v_add_u32 %0, 1, %1" : "=v"(sum) : "v"(value));
  return sum;
}
FMHA950_INLINE uint32_t times_three(uint32_t value) {
  uint32_t product;
  asm volatile("v_mul_u32_u24 %0, 3, %1" : "=v"(product) : "v"(value));
  return product;
}
FMHA950_INLINE uint32_t opaque(uint32_t value) { // the compiler does not know it
  asm volatile("" : "+s"(value));
  return value;
}

// Turns of a loop that the compiler unrolls: `count` is a multiple of `copies`.
template <int copies, class Body> FMHA950_INLINE void repeat(uint32_t count, Body body) {
  const uint32_t turns = opaque(count);
#pragma unroll 1
  for (uint32_t i = 0; i < turns; i += copies)
#pragma unroll
    for (uint32_t copy = 0; copy < copies; ++copy) body(i + copy);
}

// NAME_good, and NAME_bad without its protection.
#define FMHA950_PLANTED(NAME)                                                                                \
  extern "C" __global__ void NAME##_good(uint32_t* out) { NAME<0>(out); }                                    \
  extern "C" __global__ void NAME##_bad(uint32_t* out) { NAME<1>(out); }
// NAME_first and NAME_second lack one protection each, NAME_both lacks both.
#define FMHA950_PLANTED_TWO(NAME)                                                                            \
  extern "C" __global__ void NAME##_good(uint32_t* out) { NAME<0>(out); }                                    \
  extern "C" __global__ void NAME##_first(uint32_t* out) { NAME<1>(out); }                                   \
  extern "C" __global__ void NAME##_second(uint32_t* out) { NAME<2>(out); }                                  \
  extern "C" __global__ void NAME##_both(uint32_t* out) { NAME<3>(out); }
