// Kernels with one protection that is there or not. Each has many reports of it, and one finding, also when it is compiled
// without line information.
#include "tests/observe/planted_code.hpp"

namespace {

// One load, four registers, read at four places.
template <unsigned missing> FMHA950_INLINE void one_load(uint32_t* out) {
  Vector<uint32_t, 4> values;
  asm volatile("global_load_dwordx4 %0, %1, off" : "=v"(values) : "v"(out + 4 * global_id()) : "memory");
  wait_vm<has<missing>(1)>(values);
  uint32_t sum = plus_one(values[0]);
  out[4096 + global_id()] = sum;
  sum += plus_one(values[1]);
  out[5120 + global_id()] = sum;
  sum += times_three(values[2]) + times_three(values[3]);
  out[6144 + global_id()] = sum;
}

// Four loads before one wait.
template <unsigned missing> FMHA950_INLINE void four_loads(uint32_t* out) {
  uint32_t a = load(out + global_id()), b = load(out + 256 + global_id()), c = load(out + 512 + global_id()),
           d = load(out + 768 + global_id());
  wait_vm<has<missing>(1)>(a, b, c, d);
  out[4096 + global_id()] = plus_one(a) + times_three(b);
  out[5120 + global_id()] = plus_one(c);
  out[6144 + global_id()] = times_three(d) + plus_one(a);
}

template <unsigned missing, int copies> FMHA950_INLINE void loads_of_loop(uint32_t* out) {
  uint32_t sum = 0;
  repeat<copies>(16, [&](uint32_t i) {
    uint32_t value = load(out + global_id() + 256 * i);
    wait_vm<has<missing>(1)>(value);
    sum += plus_one(value) ^ times_three(value);
  });
  out[8192 + global_id()] = sum;
}
template <unsigned missing> FMHA950_INLINE void load_in_loop(uint32_t* out) {
  loads_of_loop<missing, 1>(out);
}
template <unsigned missing> FMHA950_INLINE void unrolled_by_4(uint32_t* out) {
  loads_of_loop<missing, 4>(out);
}
template <unsigned missing> FMHA950_INLINE void unrolled_by_8(uint32_t* out) {
  loads_of_loop<missing, 8>(out);
}

// The loop is gone.
template <unsigned missing> FMHA950_INLINE void fully_unrolled(uint32_t* out) {
  uint32_t sum = 0;
#pragma unroll
  for (uint32_t i = 0; i < 8; ++i) {
    uint32_t value = load(out + global_id() + 256 * i);
    wait_vm<has<missing>(1)>(value);
    sum += plus_one(value) ^ times_three(value);
  }
  out[8192 + global_id()] = sum;
}

template <unsigned missing, int copies> FMHA950_INLINE void lds_reads_of_loop(uint32_t* out) {
  __shared__ uint32_t words[1024];
  const uint32_t at = lds_address(words);
  for (uint32_t i = 0; i < 8; ++i) store_lds(at + 4 * (thread_id() + 128 * i), i);
  synchronise<true>();
  uint32_t sum = 0;
  repeat<copies>(8, [&](uint32_t i) {
    uint32_t a = load_lds(at + 4 * (127 - thread_id() + 128 * i)), b = load_lds(at + 4 * thread_id());
    wait_lgkm<has<missing>(1)>(a, b);
    sum += plus_one(a) ^ times_three(b);
  });
  out[8192 + global_id()] = sum;
}
template <unsigned missing> FMHA950_INLINE void lds_unrolled_by_4(uint32_t* out) {
  lds_reads_of_loop<missing, 4>(out);
}
template <unsigned missing> FMHA950_INLINE void lds_unrolled_by_8(uint32_t* out) {
  lds_reads_of_loop<missing, 8>(out);
}

// A load ahead: what a turn uses was asked for in the turn before.
template <unsigned missing> FMHA950_INLINE void pipelined(uint32_t* out) {
  uint32_t sum = 0, next = load(out + global_id());
  repeat<1>(8, [&](uint32_t i) {
    wait_vm<has<missing>(1)>(next);
    const uint32_t value = next;
    sum += plus_one(value) ^ times_three(value);
    next = load(out + global_id() + 256 * i);
  });
  wait_vm<true>(next);
  out[8192 + global_id()] = sum + next;
}

// Both arms of a branch read what was loaded before it.
template <unsigned missing> FMHA950_INLINE void read_in_arms(uint32_t* out) {
  uint32_t value = load(out + global_id());
  wait_vm<has<missing>(1)>(value);
  if (opaque(wave_id()) == 0) {
    out[4096 + global_id()] = plus_one(value);
  } else {
    out[8192 + global_id()] = times_three(value);
    out[9000 + global_id()] = plus_one(value);
  }
}

// Each arm loads; what follows reads.
template <unsigned missing> FMHA950_INLINE void loaded_in_arms(uint32_t* out) {
  uint32_t value;
  if (opaque(wave_id()) == 0)
    asm volatile("global_load_dword %0, %1, off" : "=v"(value) : "v"(out + global_id()) : "memory");
  else
    asm volatile("global_load_dword %0, %1, off offset:64" : "=v"(value) : "v"(out + global_id()) : "memory");
  wait_vm<has<missing>(1)>(value);
  out[4096 + global_id()] = plus_one(value);
  out[5120 + global_id()] = times_three(value);
}

// Both counters, one s_waitcnt.
template <unsigned missing> FMHA950_INLINE void both_counters(uint32_t* out) {
  __shared__ uint32_t words[128];
  const uint32_t at = lds_address(words);
  store_lds(at + 4 * thread_id(), 7);
  uint32_t a = load(out + global_id()), b = load_lds(at + 4 * thread_id());
  wait_both<has<missing>(1)>(a, b);
  const uint32_t c = plus_one(a), d = times_three(b);
  out[4096 + global_id()] = c ^ d;
}

template <unsigned missing> FMHA950_INLINE void scalar_load(uint32_t* out) {
  uint64_t pair;
  asm volatile("s_load_dwordx2 %0, %1, 0x0" : "=s"(pair) : "s"(out) : "memory");
  if constexpr (has<missing>(1)) asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory");
  asm volatile("" : "+s"(pair));
  uint32_t low, high;
  asm volatile("v_mov_b32 %0, %1" : "=v"(low) : "s"((uint32_t)pair));
  asm volatile("v_mov_b32 %0, %1" : "=v"(high) : "s"((uint32_t)(pair >> 32)));
  out[4096 + global_id()] = low + high;
}

template <unsigned missing> FMHA950_INLINE void flat_load(uint32_t* out) {
  uint32_t value;
  asm volatile("flat_load_dword %0, %1" : "=v"(value) : "v"(out + global_id()) : "memory");
  wait_both<has<missing>(1)>(value);
  out[4096 + global_id()] = plus_one(value);
  out[5120 + global_id()] = times_three(value);
}

// The wait belongs into the function, which is inlined three times.
template <bool there> FMHA950_INLINE uint32_t loaded_and_added(const uint32_t* from) {
  uint32_t value = load(from);
  wait_vm<there>(value);
  return plus_one(value) ^ times_three(value);
}
template <unsigned missing> FMHA950_INLINE void inlined_thrice(uint32_t* out) {
  uint32_t sum = loaded_and_added<has<missing>(1)>(out + global_id());
  out[4096 + global_id()] = sum;
  sum += loaded_and_added<has<missing>(1)>(out + 256 + global_id());
  out[5120 + global_id()] = sum;
  sum += loaded_and_added<has<missing>(1)>(out + 512 + global_id());
  out[6144 + global_id()] = sum;
}

// The load is in a function that is called.
__device__ __attribute__((noinline)) uint32_t loaded_by(const uint32_t* from) { return load(from); }
template <unsigned missing> FMHA950_INLINE void loaded_by_callee(uint32_t* out) {
  uint32_t value = loaded_by(out + global_id());
  wait_vm<has<missing>(1)>(value);
  out[4096 + global_id()] = plus_one(value);
  out[5120 + global_id()] = times_three(value);
}

// Wait states, in an unrolled loop.
template <unsigned missing> FMHA950_INLINE void matrix_result(uint32_t* out) {
  const Vector<__bf16, 8> ones = {1, 1, 1, 1, 1, 1, 1, 1};
  float total = 0;
  repeat<4>(8, [&](uint32_t) {
    Float4 sums = {total, total, total, total};
    asm volatile("s_nop 1\nv_mfma_f32_16x16x32_bf16 %0, %1, %1, %0" : "+v"(sums) : "v"(ones));
    if constexpr (has<missing>(1)) asm volatile("s_nop 15" : "+v"(sums));
    total += sums[0] + sums[1] * sums[2] + sums[3];
  });
  out[global_id()] = static_cast<uint32_t>(total);
}

template <unsigned missing> FMHA950_INLINE void scalar_address(uint32_t* out) {
  uint64_t base = (uint64_t)out;
#pragma unroll 4
  for (uint32_t i = 0; i < 4; ++i) {
    uint64_t copy;
    uint32_t value;
    asm volatile("s_nop 0\n"
                 "v_readfirstlane_b32 s20, %1\n"
                 "v_readfirstlane_b32 s21, %2"
                 : "={s[20:21]}"(copy)
                 : "v"((uint32_t)base), "v"((uint32_t)(base >> 32)));
    if constexpr (has<missing>(1)) asm volatile("s_nop 4" : "+{s[20:21]}"(copy));
    asm volatile("global_load_dword %0, %1, %2\ns_waitcnt vmcnt(0)"
                 : "=v"(value)
                 : "v"(4 * thread_id()), "{s[20:21]}"(copy)
                 : "memory");
    out[8192 + 256 * i + global_id()] = value;
  }
}

} // namespace

FMHA950_PLANTED(one_load)
FMHA950_PLANTED(four_loads)
FMHA950_PLANTED(load_in_loop)
FMHA950_PLANTED(unrolled_by_4)
FMHA950_PLANTED(unrolled_by_8)
FMHA950_PLANTED(fully_unrolled)
FMHA950_PLANTED(lds_unrolled_by_4)
FMHA950_PLANTED(lds_unrolled_by_8)
FMHA950_PLANTED(pipelined)
FMHA950_PLANTED(read_in_arms)
FMHA950_PLANTED(loaded_in_arms)
FMHA950_PLANTED(both_counters)
FMHA950_PLANTED(scalar_load)
FMHA950_PLANTED(flat_load)
FMHA950_PLANTED(inlined_thrice)
FMHA950_PLANTED(loaded_by_callee)
FMHA950_PLANTED(matrix_result)
FMHA950_PLANTED(scalar_address)
