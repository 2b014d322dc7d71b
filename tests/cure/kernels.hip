// Kernels that lack one protection each, or for which there is none.
#include "gfx950/buffer_resource.hpp"
#include "gfx950/lds_dma.hpp"
#include "gfx950/waits.hpp"
#include "tests/corpus/corpus_kernel.hpp"

// A register is read while the load into it is on its way.
CORPUS_KERNEL(late_wait, 64) {
  uint32_t value, sum;
  asm volatile("global_load_dword %0, %2, %3\n\t"
               "v_add_u32 %1, 1, %0\n\t"
               "s_waitcnt vmcnt(0)"
               : "=&v"(value), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in)
               : "memory");
  arguments.out[lane_id()] = sum;
}

// There is a wait, and it lets one load too many be in flight.
CORPUS_KERNEL(loose_wait, 64) {
  uint32_t first, second, sum;
  asm volatile("global_load_dword %0, %3, %4\n\t"
               "global_load_dword %1, %3, %4 offset:256\n\t"
               "s_waitcnt vmcnt(2)\n\t"
               "v_add_u32 %2, 1, %0\n\t"
               "s_waitcnt vmcnt(0)\n\t"
               "v_add_u32 %2, %2, %1"
               : "=&v"(first), "=&v"(second), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in)
               : "memory");
  arguments.out[lane_id()] = sum;
}

// One load is in flight on the way of odd n, two on the other: a wait that lets one be is enough there alone.
CORPUS_KERNEL(two_ways, 64) {
  uint32_t first, second, sum;
  asm volatile("global_load_dword %0, %3, %4\n\t"
               "s_bitcmp1_b32 %5, 0\n\t"
               "s_cbranch_scc1 1f\n\t"
               "global_load_dword %1, %3, %4 offset:256\n"
               "1:\n\t"
               "v_add_u32 %2, 1, %0\n\t"
               "s_waitcnt vmcnt(0)"
               : "=&v"(first), "=&v"(second), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in), "s"(arguments.n)
               : "memory", "scc");
  arguments.out[lane_id()] = sum;
}

// Each turn of a loop refills what the other waves may still read.
CORPUS_KERNEL(refilled, 128) {
  __shared__ uint32_t words[128];
  uint32_t sum = 0;
  for (uint32_t turn = 0; turn < arguments.n; turn += 128) {
    words[thread_id()] = arguments.in[turn + thread_id()];
    asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
    sum += words[127 - thread_id()];
  }
  arguments.out[thread_id()] = sum;
}

// LDS DMA, then a barrier, but no wait for the DMA before it.
CORPUS_KERNEL(dma_without_wait, 128) {
  __shared__ uint32_t words[128];
  const BufferResource in = raw_buffer(arguments.in, arguments.n * 4);
  load_to_lds<4>(in, thread_id() * 4, (LdsPointer)(words + wave_id() * 64));
  barrier();
  uint32_t value;
  asm volatile("ds_read_b32 %0, %1\n\ts_waitcnt lgkmcnt(0)"
               : "=v"(value)
               : "v"(lds_address((LdsPointer)words) + (127 - thread_id()) * 4)
               : "memory");
  arguments.out[thread_id()] = value;
}

// The same, where on the way of even n a load follows the DMA: a wait that lets one be is enough there alone.
CORPUS_KERNEL(dma_on_two_ways, 128) {
  __shared__ uint32_t words[128];
  const BufferResource in = raw_buffer(arguments.in, 128 * 4);
  load_to_lds<4>(in, thread_id() * 4, (LdsPointer)(words + wave_id() * 64));
  uint32_t more, value;
  asm volatile("s_bitcmp1_b32 %3, 0\n\t"
               "s_cbranch_scc1 1f\n\t"
               "global_load_dword %0, %1, %2\n"
               "1:\n\t"
               "s_barrier"
               : "=&v"(more)
               : "v"(thread_id() * 4), "s"(arguments.in), "s"(arguments.n)
               : "memory", "scc");
  asm volatile("ds_read_b32 %0, %1\n\ts_waitcnt lgkmcnt(0)"
               : "=v"(value)
               : "v"(lds_address((LdsPointer)words) + (127 - thread_id()) * 4)
               : "memory");
  asm volatile("s_waitcnt vmcnt(0)" : "+v"(more)::"memory");
  arguments.out[thread_id()] = value;
}

// Two faults. On the way of odd n the second is there alone: what cures the first one does nothing for it there.
CORPUS_KERNEL(hidden_on_one_way, 64) {
  uint32_t first, second, sum;
  asm volatile("global_load_dword %0, %3, %4\n\t"
               "v_mov_b32 %2, 0\n\t"
               "s_bitcmp1_b32 %5, 0\n\t"
               "s_cbranch_scc1 1f\n\t"
               "global_load_dword %1, %3, %4 offset:256\n\t"
               "v_sub_u32 %2, %1, %1\n"
               "1:\n\t"
               "v_add3_u32 %2, %2, %0, 1\n\t"
               "s_waitcnt vmcnt(0)"
               : "=&v"(first), "=&v"(second), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in), "s"(arguments.n)
               : "memory", "scc");
  arguments.out[lane_id()] = sum;
}

// One wave brings bytes by LDS DMA and says so by a flag, but does not wait for them before.
CORPUS_KERNEL(flag_without_wait, 128) {
  __shared__ uint32_t words[64];
  __shared__ uint32_t flag;
  if (thread_id() == 0) flag = 0;
  asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
  if (wave_id() == 0) {
    load_to_lds<4>(raw_buffer(arguments.in, 64 * 4), lane_id() * 4, (LdsPointer)words);
    if (lane_id() == 0)
      asm volatile("ds_write_b32 %0, %1" ::"v"(lds_address((LdsPointer)&flag)), "v"(1) : "memory");
    arguments.out[lane_id()] = 1;
  } else {
    while (__hip_atomic_load(&flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP) == 0) {
    }
    arguments.out[64 + lane_id()] = ((volatile uint32_t*)words)[lane_id()];
  }
}

// The result of a matrix instruction is read too early.
CORPUS_KERNEL(early_result, 64) {
  uint32_t value;
  asm volatile("v_mov_b32 v20, 0\n\tv_mov_b32 v21, 0\n\tv_mov_b32 v22, 0\n\tv_mov_b32 v23, 0\n\t"
               "v_mov_b32 v24, 0\n\tv_mov_b32 v25, 0\n\ts_nop 1\n\t"
               "v_mfma_f32_16x16x16_f16 v[20:23], v[24:25], v[24:25], v[20:23]\n\t"
               "v_mov_b32 %0, v20"
               : "=v"(value)::"v20", "v21", "v22", "v23", "v24", "v25");
  arguments.out[lane_id()] = value + arguments.in[lane_id()];
}

// Two faults that have nothing to do with each other.
CORPUS_KERNEL(two_faults, 64) {
  uint32_t first, second, sum;
  asm volatile("global_load_dword %0, %3, %4\n\t"
               "v_add_u32 %2, 1, %0\n\t"
               "s_waitcnt vmcnt(0)\n\t"
               "global_load_dword %1, %3, %4 offset:256\n\t"
               "v_add_u32 %2, %2, %1\n\t"
               "s_waitcnt vmcnt(0)"
               : "=&v"(first), "=&v"(second), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in)
               : "memory");
  arguments.out[lane_id()] = sum;
}

// A sum is made too early, and then an address, which is far outside of the buffer as long as it is not there.
CORPUS_KERNEL(hidden_by_fault, 64) {
  uint32_t value, sum;
  asm volatile("global_load_dword %0, %2, %3\n\t"
               "v_add_u32 %1, 1, %0\n\t"
               "s_waitcnt vmcnt(0)"
               : "=&v"(value), "=&v"(sum)
               : "v"(lane_id() * 4), "s"(arguments.in)
               : "memory");
  uint32_t index = 0x10000000;
  asm volatile("global_load_dword %0, %1, %2"
               : "+&v"(index)
               : "v"(lane_id() * 4), "s"(arguments.in)
               : "memory");
  uint32_t offset;
  asm volatile("v_lshlrev_b32 %0, 2, %1" : "=v"(offset) : "v"(index) : "memory");
  asm volatile("global_load_dword %0, %1, %2\n\t"
               "s_waitcnt vmcnt(0)"
               : "=&v"(value)
               : "v"(offset), "s"(arguments.in)
               : "memory");
  arguments.out[lane_id()] = sum + value;
}

// Wave 0 is a barrier ahead, which the loop is not made for: what a wave reads the other may write. With an odd n wave 1 has a
// barrier more at the end.
CORPUS_KERNEL(staggered, 128) {
  __shared__ uint32_t words[128];
  if (wave_id() == 0)
    asm volatile("s_barrier" ::: "memory");
  else
    asm volatile("s_nop 0" ::: "memory");
  uint32_t sum = 0;
#pragma clang loop unroll(disable)
  for (uint32_t turn = 0; turn + 128 <= arguments.n; turn += 128) {
    words[thread_id()] = arguments.in[turn + thread_id()];
    asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
    sum += words[127 - thread_id()];
    asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" : "+v"(sum)::"memory");
  }
  arguments.out[thread_id()] = sum;
  if (wave_id() == 1 && arguments.n % 2) asm volatile("s_barrier" ::: "memory");
}

// The same, where the other wave could catch up in the loop itself, in its first turn.
CORPUS_KERNEL(staggered_turns, 128) {
  __shared__ uint32_t words[128];
  if (wave_id() == 0) asm volatile("s_barrier" ::: "memory");
  uint32_t sum = 0;
#pragma clang loop unroll(disable)
  for (uint32_t turn = 0; turn + 128 <= arguments.n; turn += 128) {
    if (wave_id() == 1 && turn == 0) asm volatile("s_nop 0" ::: "memory");
    words[thread_id()] = arguments.in[turn + thread_id()];
    asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
    sum += words[127 - thread_id()];
    asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" : "+v"(sum)::"memory");
  }
  arguments.out[thread_id()] = sum;
}

// And where both stand in a loop around, which turns once.
CORPUS_KERNEL(staggered_loops, 128) {
  __shared__ uint32_t words[128];
  uint32_t sum = 0;
#pragma clang loop unroll(disable)
  for (uint32_t all = arguments.n; all > 0; all -= arguments.n) {
    if (wave_id() == 0)
      asm volatile("s_barrier" ::: "memory");
    else
      asm volatile("s_nop 0" ::: "memory");
#pragma clang loop unroll(disable)
    for (uint32_t turn = 0; turn + 128 <= arguments.n; turn += 128) {
      words[thread_id()] = arguments.in[turn + thread_id()];
      asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
      sum += words[127 - thread_id()];
      asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" : "+v"(sum)::"memory");
    }
    asm volatile("" : "+s"(all)); // else it is no loop
  }
  arguments.out[thread_id()] = sum;
}

// In every other turn both waves only meet, twice, each on its own way; on that of wave 0 one barrier is missing. From then on the
// barriers of the other turns meet others than they are meant to.
CORPUS_KERNEL(resting_turns, 128) {
  __shared__ uint32_t words[128];
  uint32_t sum = 0;
#pragma clang loop unroll(disable)
  for (uint32_t turn = 0; turn + 128 <= arguments.n; turn += 128) {
    if (turn & 128) {
      if (wave_id() == 0)
        asm volatile("s_barrier\n\ts_nop 0" ::: "memory");
      else
        asm volatile("s_barrier\n\ts_barrier" ::: "memory");
      continue;
    }
    words[thread_id()] = arguments.in[turn + thread_id()];
    asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
    sum += words[127 - thread_id()];
    asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" : "+v"(sum)::"memory");
  }
  arguments.out[thread_id()] = sum;
}

// The last wave does its part and ends; what the others need is a barrier.
CORPUS_KERNEL(early_end, 192) {
  __shared__ uint32_t words[128];
  if (wave_id() == 2) {
    arguments.out[thread_id()] = arguments.in[thread_id()];
    return;
  }
  words[thread_id()] = arguments.in[thread_id()];
  asm volatile("s_waitcnt lgkmcnt(0)" ::: "memory");
  arguments.out[thread_id()] = words[127 - thread_id()];
}

// Two waves store other values to the same words with the same instruction: no place of the code lies between.
CORPUS_KERNEL(two_writers, 128) {
  __shared__ uint32_t words[64];
  words[lane_id()] = arguments.in[thread_id()];
  sync();
  arguments.out[thread_id()] = words[lane_id()] ? 1 : 0;
}

// Two workgroups, and a flag that one polls without an order behind it: no instruction of a wave orders that.
CORPUS_KERNEL(polled_flag, 64) {
  uint32_t* flag = arguments.out + 128;
  if (workgroup_id_x() == 0) {
    arguments.out[lane_id()] = arguments.in[lane_id()];
    if (lane_id() == 0) __hip_atomic_store(flag, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  } else {
    asm volatile("s_nop 0");
    while (__hip_atomic_load(flag, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 0) {
    }
    asm volatile("" ::: "memory");
    arguments.out[64 + lane_id()] = arguments.out[lane_id()];
  }
}

// Wave 0 looks at a flag n times at most, then goes on without it. Wave 1 stores words and sets the flag, of odd n after a long
// sleep. So what wave 0 reads behind the loop is ordered if the flag came in time: round-robin lets a wave execute 65,536
// instructions, and n is chosen so that the loop ends before, but with an instruction more in it does not.
namespace {
__device__ inline void look_then_read(Arguments arguments) {
  uint32_t *words = arguments.out + 192, *flag = arguments.out + 256;
  if (wave_id() == 1) {
    if (arguments.n & 1)
      for (uint32_t slept = 0; slept < 1500; ++slept) asm volatile("s_sleep 127");
    words[lane_id()] = arguments.in[lane_id()];
    asm volatile("s_waitcnt vmcnt(0)" ::: "memory"); // clang has none for a release within a workgroup
    __hip_atomic_store(flag, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
    asm volatile("" ::: "memory");
  }
  uint32_t seen, left = arguments.n;
  asm volatile("1:\n\t"
               "global_load_dword %0, %2, %3 sc0\n\t"
               "s_nop 0\n\t"
               "s_waitcnt vmcnt(0)\n\t"
               "v_readfirstlane_b32 s20, %0\n\t"
               "s_cmp_lg_u32 s20, 0\n\t"
               "s_cbranch_scc1 2f\n\t"
               "s_sub_u32 %1, %1, 1\n\t"
               "s_cmp_lg_u32 %1, 0\n\t"
               "s_cbranch_scc1 1b\n"
               "2:"
               : "=&v"(seen), "+s"(left)
               : "v"(0), "s"(flag)
               : "memory", "scc", "s20");
  arguments.out[thread_id()] = words[lane_id()];
}
} // namespace
CORPUS_KERNEL(impatient, 128) { look_then_read(arguments); }

// A third wave meets the two once and ends: a barrier behind that is one that it lacks.
CORPUS_KERNEL(impatient_of_three, 192) {
  sync();
  if (wave_id() < 2) look_then_read(arguments);
}

// All waves come to the branch, and what they read behind it other waves have written in front of it.
CORPUS_KERNEL(read_in_branch, 128) {
  __shared__ uint32_t words[128];
  uint32_t value = arguments.in[thread_id()];
  words[thread_id()] = value;
  asm volatile("s_waitcnt lgkmcnt(0)\n\t"
               "s_bitcmp1_b32 %2, 0\n\t"
               "s_cbranch_scc0 1f\n\t"
               "ds_read_b32 %0, %1\n\t"
               "s_waitcnt lgkmcnt(0)\n"
               "1:"
               : "+v"(value)
               : "v"(lds_address((LdsPointer)words) + (127 - thread_id()) * 4), "s"(arguments.n)
               : "memory", "scc");
  arguments.out[thread_id()] = value;
}

// One branch behind the other, and a branch in a branch, which only meet at the end.
CORPUS_KERNEL(branches, 64) {
  asm volatile("s_bitcmp1_b32 %0, 0\n\t"
               "s_cbranch_scc0 1f\n\t"
               "s_nop 1\n"
               "1:\n\t"
               "s_bitcmp1_b32 %0, 1\n\t"
               "s_cbranch_scc0 3f\n\t"
               "s_nop 2\n\t"
               "s_bitcmp1_b32 %0, 2\n\t"
               "s_cbranch_scc0 2f\n\t"
               "s_nop 3\n"
               "2:\n\t"
               "s_nop 4\n"
               "3:\n\t"
               "s_nop 5" ::"s"(arguments.n)
               : "scc");
  arguments.out[lane_id()] = arguments.in[lane_id()];
}
