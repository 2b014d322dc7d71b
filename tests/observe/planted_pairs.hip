// Kernels with two protections, each of which is there or not: two faults that no single instruction mends are two findings.
#include "tests/observe/planted_code.hpp"

namespace {

template <unsigned missing> FMHA950_INLINE void one_after_the_other(uint32_t* out) {
  uint32_t a = load(out + global_id());
  wait_vm<has<missing>(1)>(a);
  out[4096 + global_id()] = times_three(plus_one(a));
  uint32_t b = load(out + 256 + global_id()), c = load(out + 512 + global_id());
  wait_vm<has<missing>(2)>(b, c);
  out[5120 + global_id()] = plus_one(b) ^ times_three(c);
}

// The functions are the same ones: only where they were inlined tells the faults apart.
template <unsigned missing> FMHA950_INLINE void of_same_functions(uint32_t* out) {
  uint32_t a = load(out + global_id());
  wait_vm<has<missing>(1)>(a);
  out[4096 + global_id()] = plus_one(a);
  __builtin_amdgcn_s_sleep(1);
  out[5120 + global_id()] = 3;
  uint32_t b = load(out + 256 + global_id());
  wait_vm<has<missing>(2)>(b);
  out[6144 + global_id()] = plus_one(b);
}

// Two products of one turn: what is read for the first, what is read for the second.
template <unsigned missing> FMHA950_INLINE void two_products(uint32_t* out) {
  __shared__ uint32_t words[1024];
  const uint32_t at = lds_address(words);
  for (uint32_t i = 0; i < 8; ++i) store_lds(at + 4 * (thread_id() + 128 * i), i);
  synchronise<true>();
  uint32_t sum = 0;
  repeat<2>(8, [&](uint32_t i) {
    uint32_t a = load_lds(at + 4 * (127 - thread_id() + 128 * i)), b = load_lds(at + 4 * thread_id());
    wait_lgkm<has<missing>(1)>(a, b);
    sum += plus_one(a) ^ plus_one(b);
    sum = plus_one(times_three(sum));
    uint64_t c;
    asm volatile("ds_read_b64 %0, %1" : "=v"(c) : "v"(at + 8 * thread_id()) : "memory");
    wait_lgkm<has<missing>(2)>(c);
    sum += times_three((uint32_t)c) ^ times_three((uint32_t)(c >> 32));
  });
  out[8192 + global_id()] = sum;
}

template <unsigned missing> FMHA950_INLINE void two_loops(uint32_t* out) {
  __shared__ uint32_t words[128];
  const uint32_t at = lds_address(words);
  uint32_t sum = 0;
  repeat<1>(4, [&](uint32_t i) {
    store_lds(at + 4 * thread_id(), i);
    wait_lgkm<true>();
    barrier<has<missing>(1)>();
    uint32_t a = load_lds(at + 4 * (127 - thread_id()));
    wait_lgkm<true>(a);
    sum += a;
    barrier<true>();
  });
  repeat<1>(4, [&](uint32_t i) {
    store_lds(at + 4 * thread_id(), 3 * i);
    wait_lgkm<true>();
    barrier<has<missing>(2)>();
    uint32_t a = load_lds(at + 4 * (thread_id() ^ 64));
    wait_lgkm<true>(a);
    sum += times_three(a);
    barrier<true>();
  });
  out[8192 + global_id()] = sum;
}

// The wait before a barrier, and the barrier before the next turn.
template <unsigned missing> FMHA950_INLINE void around_one_tile(uint32_t* out) {
  __shared__ uint32_t words[128];
  const uint32_t at = lds_address(words);
  uint32_t sum = 0;
  repeat<1>(8, [&](uint32_t i) {
    load_to_lds(at + 256 * wave_id(), out + thread_id() + 256 * i);
    wait_vm<has<missing>(1)>();
    barrier<true>();
    uint32_t a = load_lds(at + 4 * (127 - thread_id()));
    wait_lgkm<true>(a);
    sum += plus_one(a);
    barrier<has<missing>(2)>();
  });
  wait_vm<true>();
  out[8192 + global_id()] = sum;
}

// Two tiles, two barriers, one behind the other.
template <unsigned missing> FMHA950_INLINE void two_barriers(uint32_t* out) {
  __shared__ uint32_t words[256];
  const uint32_t at = lds_address(words);
  store_lds(at + 4 * thread_id(), 1);
  wait_lgkm<true>();
  barrier<has<missing>(1)>();
  uint32_t a = load_lds(at + 4 * (127 - thread_id()));
  wait_lgkm<true>(a);
  store_lds(at + 512 + 4 * thread_id(), a);
  wait_lgkm<true>();
  barrier<has<missing>(2)>();
  uint32_t b = load_lds(at + 512 + 4 * (thread_id() ^ 64));
  wait_lgkm<true>(b);
  out[8192 + global_id()] = b;
}

// A load that is far ahead of its use, and reads between.
template <unsigned missing> FMHA950_INLINE void two_counters(uint32_t* out) {
  __shared__ uint32_t words[256];
  const uint32_t at = lds_address(words);
  store_lds(at + 4 * thread_id(), 1);
  synchronise<true>();
  uint32_t sum = 0;
  repeat<4>(8, [&](uint32_t i) {
    uint32_t a = load(out + global_id() + 256 * i);
    uint32_t b = load_lds(at + 4 * (127 - thread_id()));
    wait_lgkm<has<missing>(1)>(b);
    sum += plus_one(b);
    store_lds(at + 512 + 4 * thread_id(), 1);
    wait_vm<has<missing>(2)>(a);
    sum += times_three(a);
    synchronise<true>();
  });
  out[8192 + global_id()] = sum;
}

template <unsigned missing> FMHA950_INLINE void wait_and_states(uint32_t* out) {
  const Vector<__bf16, 8> ones = {1, 1, 1, 1, 1, 1, 1, 1};
  float total = 0;
  repeat<1>(8, [&](uint32_t i) {
    uint32_t a = load(out + global_id() + 256 * i);
    wait_vm<has<missing>(1)>(a);
    total += __builtin_bit_cast(float, plus_one(a));
    Float4 sums = {total, total, total, total};
    asm volatile("s_nop 1\nv_mfma_f32_16x16x32_bf16 %0, %1, %1, %0" : "+v"(sums) : "v"(ones));
    if constexpr (has<missing>(2)) asm volatile("s_nop 15" : "+v"(sums));
    total += sums[0] + sums[1];
  });
  out[8192 + global_id()] = static_cast<uint32_t>(total);
}

// The writer does not wait before the tile is read, the reader not before it is refilled.
template <unsigned missing> FMHA950_INLINE void both_groups(uint32_t* out) {
  __shared__ uint32_t words[64];
  const uint32_t at = lds_address(words);
  if (wave_id() == 0) {
    repeat<1>(8, [&](uint32_t i) {
      load_to_lds(at, out + lane() + 128 * i);
      wait_vm<has<missing>(1)>();
      barrier<true>();
      barrier<true>();
    });
    wait_vm<true>();
  } else {
    uint32_t sum = 0;
    repeat<1>(8, [&](uint32_t) {
      barrier<true>();
      uint32_t a = load_lds(at + 4 * lane());
      wait_lgkm<has<missing>(2)>();
      barrier<true>();
      wait_lgkm<true>(a);
      sum += plus_one(a);
    });
    out[8192 + global_id()] = sum;
  }
}

} // namespace

FMHA950_PLANTED_TWO(one_after_the_other)
FMHA950_PLANTED_TWO(of_same_functions)
FMHA950_PLANTED_TWO(two_products)
FMHA950_PLANTED_TWO(two_loops)
FMHA950_PLANTED_TWO(around_one_tile)
FMHA950_PLANTED_TWO(two_barriers)
FMHA950_PLANTED_TWO(two_counters)
FMHA950_PLANTED_TWO(wait_and_states)
FMHA950_PLANTED_TWO(both_groups)
