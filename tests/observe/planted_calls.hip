// Kernels with one fault in a function that they call, or between the function and themselves.
#include "tests/observe/planted_code.hpp"

#define CALLED __device__ __attribute__((noinline))

namespace {

// Both sides in a function that is called from two places.
template <bool there> CALLED uint32_t loaded_and_used(const uint32_t* from) {
  uint32_t value = load(from);
  wait_vm<there>(value);
  const uint32_t used = plus_one(value) ^ times_three(value);
  wait_vm<true>(value); // its register is another's then
  return used;
}
template <unsigned missing> FMHA950_INLINE void load_in_callee(uint32_t* out) {
  uint32_t sum = loaded_and_used<has<missing>(1)>(out + global_id());
  out[4096 + global_id()] = sum;
  sum += loaded_and_used<has<missing>(1)>(out + 256 + global_id());
  out[5120 + global_id()] = sum;
}

// A function that is called by one that is called.
template <bool there> CALLED uint32_t twice(const uint32_t* from) {
  const uint32_t first = loaded_and_used<there>(from);
  return first + loaded_and_used<there>(from + 128);
}
template <unsigned missing> FMHA950_INLINE void load_in_second_callee(uint32_t* out) {
  out[4096 + global_id()] = twice<has<missing>(1)>(out + global_id());
}

// A function that ends in another one, whose return is its own.
template <bool there> CALLED uint32_t tail(const uint32_t* from) {
  return loaded_and_used<there>(from + opaque(128));
}
template <unsigned missing> FMHA950_INLINE void load_in_tail(uint32_t* out) {
  out[4096 + global_id()] = tail<has<missing>(1)>(out + global_id());
}

// A loop of the function, unrolled.
template <bool there> CALLED uint32_t summed(const uint32_t* from) {
  uint32_t sum = 0;
  repeat<4>(8, [&](uint32_t i) {
    uint32_t value = load(from + 256 * i);
    wait_vm<there>(value);
    sum += plus_one(value) ^ times_three(value);
    wait_vm<true>(value);
  });
  return sum;
}
template <unsigned missing> FMHA950_INLINE void loop_in_callee(uint32_t* out) {
  out[8192 + global_id()] = summed<has<missing>(1)>(out + global_id());
}

// The kernel writes LDS, the function reads it.
template <bool there> CALLED uint32_t read_tile(uint32_t at) {
  barrier<there>();
  uint32_t a = load_lds(at + 4 * (127 - thread_id())), b = load_lds(at + 4 * (thread_id() ^ 64));
  wait_lgkm<true>(a, b);
  return plus_one(a) ^ times_three(b);
}
template <unsigned missing> FMHA950_INLINE void tile_read_by_callee(uint32_t* out) {
  __shared__ uint32_t words[128];
  const uint32_t at = lds_address(words);
  store_lds(at + 4 * thread_id(), thread_id());
  wait_lgkm<true>();
  out[global_id()] = read_tile<has<missing>(1)>(at);
}

// The function writes and reads; what comes back to it is the kernel's loop.
template <bool there> CALLED uint32_t tile_of(uint32_t at, uint32_t turn) {
  store_lds(at + 4 * thread_id(), turn);
  wait_lgkm<true>();
  barrier<true>();
  uint32_t a = load_lds(at + 4 * (127 - thread_id()));
  wait_lgkm<true>(a);
  barrier<there>();
  return times_three(a);
}
template <unsigned missing> FMHA950_INLINE void refilled_by_callee(uint32_t* out) {
  __shared__ uint32_t words[128];
  const uint32_t at = lds_address(words);
  uint32_t sum = 0;
  repeat<1>(4, [&](uint32_t i) { sum += tile_of<has<missing>(1)>(at, i); });
  out[global_id()] = sum;
}

// LDS DMA that nobody waits for before the function's barrier; the kernel's is around it.
template <bool there> CALLED uint32_t read_loaded(uint32_t at, const uint32_t* from) {
  load_to_lds(at + 256 * wave_id(), from);
  wait_vm<there>();
  barrier<true>();
  uint32_t a = load_lds(at + 4 * (127 - thread_id()));
  wait_lgkm<true>(a);
  return plus_one(a);
}
template <unsigned missing> FMHA950_INLINE void loaded_in_callee(uint32_t* out) {
  __shared__ uint32_t words[128];
  const uint32_t at = lds_address(words);
  uint32_t sum = 0;
  repeat<1>(4, [&](uint32_t i) {
    sum += read_loaded<has<missing>(1)>(at, out + thread_id() + 128 * i);
    barrier<true>();
  });
  out[8192 + global_id()] = sum;
}

// Wait states.
template <bool there> CALLED float product() {
  const Vector<__bf16, 8> ones = {1, 1, 1, 1, 1, 1, 1, 1};
  Float4 sums = {0, 0, 0, 0};
  asm volatile("s_nop 1\nv_mfma_f32_16x16x32_bf16 %0, %1, %1, %0" : "+v"(sums) : "v"(ones));
  if constexpr (there) asm volatile("s_nop 15" : "+v"(sums));
  return sums[0] + sums[1] * sums[2] + sums[3];
}
template <unsigned missing> FMHA950_INLINE void states_in_callee(uint32_t* out) {
  out[global_id()] = static_cast<uint32_t>(product<has<missing>(1)>());
}

// A function that an address in memory leads to.
using Loader = uint32_t (*)(const uint32_t*);
template <bool there> __device__ const Loader loaders[2] = {loaded_and_used<there>, twice<there>};
template <unsigned missing> FMHA950_INLINE void called_by_pointer(uint32_t* out) {
  out[4096 + global_id()] = loaders<has<missing>(1)>[opaque(0)](out + global_id());
}

// The kernel loads, a function by hand reads: it does not wait at its entry for what is in flight, as compilers' do.
#define LOAD_AND_CALL(FUNCTION, WAIT)                                                                        \
  ".pushsection .text." FUNCTION ",\"ax\",@progbits\n"                                                       \
  ".p2align 2\n"                                                                                             \
  ".type " FUNCTION ",@function\n" FUNCTION ":\n" WAIT "v_add_u32 v1, 1, v0\n"                               \
  "s_setpc_b64 s[30:31]\n"                                                                                   \
  ".size " FUNCTION ", .-" FUNCTION "\n"                                                                     \
  ".popsection\n"                                                                                            \
  "global_load_dword v0, %1, off\n"                                                                          \
  "s_getpc_b64 s[4:5]\n"                                                                                     \
  "s_add_u32 s4, s4, " FUNCTION "@rel32@lo+4\n"                                                              \
  "s_addc_u32 s5, s5, " FUNCTION "@rel32@hi+12\n"                                                            \
  "s_swappc_b64 s[30:31], s[4:5]\n"                                                                          \
  "s_waitcnt vmcnt(0)\n"                                                                                     \
  "v_mov_b32 %0, v1"
template <unsigned missing> FMHA950_INLINE void read_by_assembly(uint32_t* out) {
  uint32_t sum;
  if constexpr (has<missing>(1))
    asm volatile(LOAD_AND_CALL("add_one_good", "s_waitcnt vmcnt(0)\n")
                 : "=v"(sum)
                 : "v"(out + global_id())
                 : "memory", "scc", "v0", "v1", "s4", "s5", "s30", "s31");
  else
    asm volatile(LOAD_AND_CALL("add_one_bad", "")
                 : "=v"(sum)
                 : "v"(out + global_id())
                 : "memory", "scc", "v0", "v1", "s4", "s5", "s30", "s31");
  out[4096 + global_id()] = sum;
}

} // namespace

FMHA950_PLANTED(load_in_callee)
FMHA950_PLANTED(load_in_second_callee)
FMHA950_PLANTED(load_in_tail)
FMHA950_PLANTED(loop_in_callee)
FMHA950_PLANTED(tile_read_by_callee)
FMHA950_PLANTED(refilled_by_callee)
FMHA950_PLANTED(loaded_in_callee)
FMHA950_PLANTED(states_in_callee)
FMHA950_PLANTED(read_by_assembly)
FMHA950_PLANTED(called_by_pointer)
