// Kernels that rely on latency, as hand-written ones do: what they leave out of waits and barriers is there in time on
// hardware. All of them give out[i] = 1000 + i. `data` holds 1000 + i, `zeros` what must not be seen.
#include "gfx950/kernel.hpp"

namespace {
using namespace fmha950::gfx950;

#define DELAY(turns) ".rept " #turns "\ns_nop 15\n.endr\n" // of 64 clocks

constexpr uint32_t first_value = 1000, data = 4096, zeros = 8192, exchange = 12288; // of `out`

FMHA950_INLINE uint32_t lds_address(const uint32_t* in_lds) {
  return static_cast<uint32_t>(
      reinterpret_cast<uintptr_t>((__attribute__((address_space(3))) const uint32_t*)in_lds));
}
FMHA950_INLINE void synchronise() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
} // namespace

extern "C" {

// Counted waits that are a group late, or missing.
__global__ void lds_read_is_back(uint32_t* out) {
  __shared__ uint32_t lds[128];
  const uint32_t i = thread_id();
  lds[i] = first_value + i;
  synchronise();
  uint32_t arriving = 0, value;
  asm volatile("ds_read_b32 %0, %2\n" DELAY(4) "v_mov_b32 %1, %0\ns_waitcnt lgkmcnt(0)\n"
               : "+&v"(arriving), "=&v"(value)
               : "v"(lds_address(lds + i))
               : "memory");
  out[i] = value;
}
__global__ void load_is_back(uint32_t* out) {
  const uint32_t i = thread_id();
  uint32_t arriving, value;
  asm volatile("global_load_dword %0, %2, off\n" DELAY(40) "v_mov_b32 %1, %0\ns_waitcnt vmcnt(0)\n"
               : "=&v"(arriving), "=&v"(value)
               : "v"(out + data + i)
               : "memory");
  out[i] = value;
}
__global__ void scalar_load_is_back(uint32_t* out) {
  const uint32_t i = thread_id();
  uint32_t arriving, value;
  asm volatile("s_load_dword %0, %2, 0x0\n" DELAY(40) "v_mov_b32 %1, %0\ns_waitcnt lgkmcnt(0)\n"
               : "=&s"(arriving), "=&v"(value)
               : "s"(out + data)
               : "memory");
  out[i] = value + i;
}
__global__ void wait_is_a_group_late(uint32_t* out) {
  const uint32_t i = thread_id();
  uint32_t first, second, value;
  asm volatile("global_load_dword %0, %3, off\nglobal_load_dword %1, %3, off offset:512\n" DELAY(
                   40) "s_waitcnt vmcnt(1)\nv_mov_b32 %2, %1\ns_waitcnt vmcnt(0)\n"
               : "=&v"(first), "=&v"(second), "=&v"(value)
               : "v"(out + data + i)
               : "memory");
  out[i] = value - 128;
}
__global__ void dma_is_a_group_late(uint32_t* out) {
  __shared__ uint32_t lds[256];
  const uint32_t i = thread_id(), wave = i / 64 * 64;
  uint32_t value;
  asm volatile(
      "s_mov_b32 m0, %1\ns_nop 0\nglobal_load_lds_dword %3, off\n"
      "s_mov_b32 m0, %2\ns_nop 0\nglobal_load_lds_dword %3, off offset:0\n" DELAY(
          40) "s_waitcnt vmcnt(1)\ns_barrier\nds_read_b32 %0, %4\ns_waitcnt lgkmcnt(0)\ns_waitcnt vmcnt(0)\n"
      : "=&v"(value)
      : "s"(__builtin_amdgcn_readfirstlane(lds_address(lds + wave))),
        "s"(__builtin_amdgcn_readfirstlane(lds_address(lds + 128 + wave))), "v"(out + data + i),
        "v"(lds_address(lds + 128 + i))
      : "memory");
  out[i] = value;
}

// Buffers that are filled again just after, or before, they are read.
__global__ void own_refill(uint32_t* out) {
  __shared__ uint32_t lds[128];
  const uint32_t i = thread_id();
  lds[i] = first_value + i;
  synchronise();
  uint32_t value;
  asm volatile("s_mov_b32 m0, %1\ns_nop 0\nglobal_load_lds_dword %2, off\nds_read_b32 %0, %3\n"
               "s_waitcnt lgkmcnt(0)\ns_waitcnt vmcnt(0)\n"
               : "=&v"(value)
               : "s"(__builtin_amdgcn_readfirstlane(lds_address(lds + i / 64 * 64))), "v"(out + zeros + i),
                 "v"(lds_address(lds + i))
               : "memory");
  out[i] = value;
}
__global__ void sibling_refill(uint32_t* out) { // each wave refills what the other one reads
  __shared__ uint32_t lds[128];
  const uint32_t i = thread_id();
  lds[i] = first_value + i;
  synchronise();
  uint32_t value;
  asm volatile("ds_read_b32 %0, %3\ns_mov_b32 m0, %1\ns_nop 0\nglobal_load_lds_dword %2, off\n"
               "s_waitcnt lgkmcnt(0)\ns_waitcnt vmcnt(0)\n"
               : "=&v"(value)
               : "s"(__builtin_amdgcn_readfirstlane(lds_address(lds + (i / 64 ^ 1) * 64))),
                 "v"(out + zeros + i), "v"(lds_address(lds + i))
               : "memory");
  out[i] = value;
}

// Waves that go side by side, without a barrier.
__global__ void hand_over_in_lds(uint32_t* out) {
  __shared__ uint32_t lds[128];
  const uint32_t i = thread_id();
  lds[i] = 0;
  synchronise();
  uint32_t value;
  asm volatile("ds_write_b32 %1, %3\n" DELAY(8) "ds_read_b32 %0, %2\ns_waitcnt lgkmcnt(0)\n"
               : "=&v"(value)
               : "v"(lds_address(lds + i)), "v"(lds_address(lds + (i ^ 64))), "v"(first_value + i)
               : "memory");
  out[i ^ 64] = value;
}
__global__ void hand_over_in_memory(uint32_t* out) {
  const uint32_t i = thread_id();
  uint32_t value;
  asm volatile(
      "global_store_dword %1, %3, off\n" DELAY(60) "global_load_dword %0, %2, off\ns_waitcnt vmcnt(0)\n"
      : "=&v"(value)
      : "v"(out + exchange + i), "v"(out + exchange + (i ^ 64)), "v"(first_value + i)
      : "memory");
  out[i ^ 64] = value;
}
}
