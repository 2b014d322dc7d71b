// Kernels of programs: without a fault, and whose runs cannot be compared.
#include "tests/corpus/corpus_kernel.hpp"

CORPUS_KERNEL(clean, 64) { arguments.out[lane_id()] = arguments.in[lane_id()]; }

CORPUS_KERNEL(endless, 64) {
  asm volatile("1:\n\ts_branch 1b");
  arguments.out[lane_id()] = arguments.in[lane_id()];
}

// What each wave writes goes by which comes first. And a register is read while the load into it is on its way.
CORPUS_KERNEL(tickets, 128) {
  uint32_t value, sum;
  asm volatile("global_load_dword %0, %2, %3\n\t"
               "v_add_u32 %1, 1, %0\n\t"
               "s_waitcnt vmcnt(0)"
               : "=&v"(value), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in)
               : "memory");
  uint32_t ticket = 0;
  if (lane_id() == 0)
    ticket = __hip_atomic_fetch_add(arguments.out + 63, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  if (thread_id() == 0) arguments.out[0] = sum + ticket;
}

// It may print: it looks where the host takes what it prints. The same fault.
CORPUS_KERNEL(may_print, 64) {
  const uint64_t buffer = ((const uint64_t*)__builtin_amdgcn_implicitarg_ptr())[10]; // hidden_hostcall_buffer
  uint32_t value, sum;
  asm volatile("global_load_dword %0, %2, %3\n\t"
               "v_add_u32 %1, 1, %0\n\t"
               "s_waitcnt vmcnt(0)"
               : "=&v"(value), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in)
               : "memory");
  arguments.out[lane_id()] = sum + (buffer == 0);
}

// The host says when to go on, in the first word. The same fault.
CORPUS_KERNEL(waits_for_host, 64) {
  while (__hip_atomic_load(arguments.in, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {
  }
  uint32_t value, sum;
  asm volatile("global_load_dword %0, %2, %3\n\t"
               "v_add_u32 %1, 1, %0\n\t"
               "s_waitcnt vmcnt(0)"
               : "=&v"(value), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in)
               : "memory");
  arguments.out[lane_id()] = sum;
}

// The fault is there for odd n alone.
CORPUS_KERNEL(late_if_odd, 64) {
  uint32_t value, sum;
  asm volatile("global_load_dword %0, %2, %3\n\t"
               "s_bitcmp1_b32 %4, 0\n\t"
               "s_cbranch_scc1 1f\n\t"
               "s_waitcnt vmcnt(0)\n"
               "1:\n\t"
               "v_add_u32 %1, 1, %0\n\t"
               "s_waitcnt vmcnt(0)"
               : "=&v"(value), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in), "s"(arguments.n)
               : "memory", "scc");
  arguments.out[lane_id()] = sum;
}

// Its code refers to data by their distance: a variable that the host may write, and a constant table.
__attribute__((device)) uint32_t variable[4] = {1000, 2000, 3000, 4000};
CORPUS_KERNEL(looked_up, 64) {
  static const uint32_t constants[5] = {7, 11, 13, 17, 19};
  uint32_t value, sum;
  asm volatile("global_load_dword %0, %2, %3\n\t"
               "v_add_u32 %1, 1, %0\n\t"
               "s_waitcnt vmcnt(0)"
               : "=&v"(value), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in)
               : "memory");
  arguments.out[lane_id()] = sum + variable[lane_id() & 3] + constants[(lane_id() * arguments.n) % 5];
}
