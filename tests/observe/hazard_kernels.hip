// One kernel for each class of hazard: the shortest in which it happens (docs/hazards.md). `bad` has the
// hazard, the kernel beside it the cure. The line that a report must name ends in HERE.
#include "gfx950/buffer_resource.hpp"

namespace {
using namespace fmha950::gfx950;

FMHA950_INLINE uint32_t global_id() { return workgroup_id_x() * 128 + thread_id(); }
} // namespace

extern "C" {

__global__ void register_in_flight_bad(uint32_t* out) {
  uint32_t value;
  asm volatile("global_load_dword %0, %1, off" : "=v"(value) : "v"(out + global_id()) : "memory");
  value += 1; // HERE register_in_flight
  out[global_id()] = value;
}
__global__ void register_in_flight_good(uint32_t* out) {
  uint32_t value;
  asm volatile("global_load_dword %0, %1, off\n"
               "s_waitcnt vmcnt(0)"
               : "=v"(value)
               : "v"(out + global_id())
               : "memory");
  value += 1;
  out[global_id()] = value;
}

__global__ void lds_order_bad(uint32_t* out) {
  __shared__ uint32_t values[128];
  values[thread_id()] = thread_id();
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
  out[global_id()] = values[127 - thread_id()]; // HERE lds_order
}
__global__ void lds_order_good(uint32_t* out) {
  __shared__ uint32_t values[128];
  values[thread_id()] = thread_id();
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  out[global_id()] = values[127 - thread_id()];
}

__global__ void memory_order_bad(uint32_t* out) {
  if (thread_id() == 0) out[0] += 1; // HERE memory_order
}
__global__ void memory_order_good(uint32_t* out) {
  if (thread_id() == 0) __atomic_fetch_add(out, 1, __ATOMIC_RELAXED);
}

__global__ void visibility_bad(uint32_t* out) {
  if (thread_id() != 0) return;
  out[workgroup_id_x()] = 1;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  if (__hip_atomic_fetch_add(out + 64, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) ==
      1) { // both have stored
    asm volatile("" ::: "memory");
    out[128] = out[1 - workgroup_id_x()]; // HERE visibility
  }
}
__global__ void visibility_good(uint32_t* out) {
  if (thread_id() != 0) return;
  out[workgroup_id_x()] = 1;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent");
  if (__hip_atomic_fetch_add(out + 64, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) == 1) {
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent");
    out[128] = out[1 - workgroup_id_x()];
  }
}

__global__ void out_of_bounds_bad(uint32_t* out) {
  out[global_id() + 65536 / 4] = 1; // HERE out_of_bounds
}
__global__ void out_of_bounds_good(uint32_t* out) {
  if (global_id() < 65536 / 4) out[global_id()] = 1;
}

__global__ void misaligned_bad(uint32_t* out) {
  uint32_t value;
  asm volatile("s_load_dword %0, %1, 0x2\n" // HERE misaligned
               "s_waitcnt lgkmcnt(0)"
               : "=s"(value)
               : "s"(out)
               : "memory");
  out[global_id()] = value;
}
__global__ void misaligned_good(uint32_t* out) {
  uint32_t value;
  asm volatile("s_load_dword %0, %1, 0x4\n"
               "s_waitcnt lgkmcnt(0)"
               : "=s"(value)
               : "s"(out)
               : "memory");
  out[global_id() + 2] = value;
}

__global__ void barrier_divergence_bad(uint32_t* out) {
  __builtin_amdgcn_s_barrier();
  if (wave_id() == 0) __builtin_amdgcn_s_barrier(); // HERE barrier_divergence
  out[global_id()] = 1;
}
__global__ void barrier_divergence_good(uint32_t* out) {
  if (wave_id() == 0)
    __builtin_amdgcn_s_barrier();
  else
    asm volatile("s_barrier" ::: "memory"); // another instruction, the same barrier
  out[global_id()] = 1;
}

// The other wave never meets a barrier, and has done its work.
__global__ void one_sided_barrier(uint32_t* out) {
  out[global_id()] = 1;
  if (wave_id() == 0) __builtin_amdgcn_s_barrier();
}
__global__ void early_exit(uint32_t* out) {
  if (wave_id() == 1) return;
  __builtin_amdgcn_s_barrier();
  out[global_id()] = 1;
}
// The barrier is not released before the first wave has ended, its LDS writes done.
__global__ void end_orders_lds(uint32_t* out) {
  __shared__ uint32_t values[64];
  if (wave_id() == 0) {
    values[thread_id()] = thread_id();
  } else {
    __builtin_amdgcn_s_barrier();
    out[global_id()] = *(volatile uint32_t*)&values[thread_id() - 64];
  }
}

// Wave 0 is put a barrier ahead of wave 1, which ends before wave 0 comes to its last one.
#define BARRIER asm volatile("s_barrier" ::: "memory")
#define TURNS _Pragma("clang loop unroll(disable)") for (int turn = 0; turn < 4; ++turn)
__global__ void staggered(uint32_t* out) {
  BARRIER; // of both
  if (wave_id() == 0) BARRIER;
  TURNS {
    out[global_id() + 256 * turn] = 1;
    BARRIER;
    asm volatile("s_nop 0");
    BARRIER;
  }
}
__global__ void staggered_in_loops_of_their_own(uint32_t* out) {
  if (wave_id() == 0) {
    BARRIER;
    TURNS {
      out[global_id() + 256 * turn] = 1;
      BARRIER;
    }
  } else {
    TURNS {
      out[global_id() + 256 * turn] = 2;
      BARRIER;
    }
  }
}
__global__ void staggered_and_balanced(uint32_t* out) {
  if (wave_id() == 0) BARRIER;
  TURNS {
    out[global_id() + 256 * turn] = 1;
    BARRIER;
  }
  if (wave_id() == 1) BARRIER;
}
__global__ void staggered_by_two(uint32_t* out) {
  if (wave_id() == 0) {
    BARRIER;
    BARRIER;
  }
  TURNS {
    out[global_id() + 256 * turn] = 1;
    BARRIER;
  }
}
__global__ void lacks_one_in_a_loop(uint32_t* out) {
  TURNS {
    out[global_id() + 256 * turn] = 1;
    BARRIER;
    if (wave_id() == 0 && turn == 2) BARRIER;
  }
}
__global__ void lacks_one_between_two(uint32_t* out) {
  BARRIER;
  if (wave_id() == 0) BARRIER;
  out[global_id()] = 1;
  BARRIER;
}
__global__ void lacks_the_last(uint32_t* out) {
  TURNS {
    out[global_id() + 256 * turn] = 1;
    BARRIER;
  }
  if (wave_id() == 0) BARRIER;
}
// In step each wave would read what the other has written before the barrier.
__global__ void staggered_without_order(uint32_t* out) {
  __shared__ uint32_t values[128];
  if (wave_id() == 0) BARRIER;
  uint32_t sum = 0;
  TURNS {
    values[thread_id()] = turn;
    asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
    sum += values[127 - thread_id()];
    asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" : "+v"(sum)::"memory");
  }
  out[global_id()] = sum;
}

__global__ void runaway_bad(uint32_t* out) {
  for (volatile uint32_t* flag = out; *flag == 0;) { // HERE runaway
  }
}
__global__ void runaway_good(uint32_t* out) {
  for (int tries = 0; tries < 100 && __atomic_load_n(out, __ATOMIC_RELAXED) == 0; ++tries)
    __builtin_amdgcn_s_sleep(1);
}

// The compiler does not look into the assembly and leaves what follows an MFMA to its author.
__global__ void wait_states_bad(uint32_t* out) {
  Float4 sums = {};
  const Vector<__bf16, 8> ones = {1, 1, 1, 1, 1, 1, 1, 1};
  asm("v_mfma_f32_16x16x32_bf16 %0, %1, %1, %0" : "+v"(sums) : "v"(ones));
  out[global_id()] = static_cast<uint32_t>(sums[0]); // HERE wait_states
}
__global__ void wait_states_good(uint32_t* out) {
  Float4 sums = {};
  const Vector<__bf16, 8> ones = {1, 1, 1, 1, 1, 1, 1, 1};
  asm("s_nop 1\n"
      "v_mfma_f32_16x16x32_bf16 %0, %1, %1, %0\n"
      "s_nop 7"
      : "+v"(sums)
      : "v"(ones));
  out[global_id()] = static_cast<uint32_t>(sums[0]);
}
__global__ void uninitialised_bad(uint32_t* out) {
  __shared__ uint32_t values[128];
  if (thread_id() % 64 != 5) values[thread_id()] = thread_id(); // a slot stays empty
  const uint32_t mine = *(volatile uint32_t*)&values[thread_id()] % 128;
  out[workgroup_id_x() * 128 + mine] = 1; // HERE uninitialised
}
__global__ void uninitialised_good(uint32_t* out) {
  __shared__ uint32_t values[128];
  values[thread_id()] = thread_id();
  const uint32_t mine = *(volatile uint32_t*)&values[thread_id()] % 128;
  out[workgroup_id_x() * 128 + mine] = 1;
}

// No hazard: 16 of 64 lanes are in range of the descriptor.
__global__ void clamped_tail(uint32_t* out) {
  const BufferResource tail = raw_buffer(out, 16 * sizeof(uint32_t));
  if (global_id() < 64) __builtin_amdgcn_raw_buffer_store_b32(global_id(), tail, global_id() * 4, 0, 0);
}

// Three waves in one loop, each with turns of its own.
#define UNEVEN_TURNS(name, first, second, third)                                                             \
  __global__ void name(uint32_t* out) {                                                                      \
    const int turns = wave_id() == 0 ? first : wave_id() == 1 ? second : third;                              \
    _Pragma("clang loop unroll(disable)") for (int turn = 0; turn < turns; ++turn) {                         \
      out[global_id()] = (uint32_t)turn;                                                                     \
      BARRIER;                                                                                               \
    }                                                                                                        \
  }
UNEVEN_TURNS(uneven_turns_435, 4, 3, 5)
UNEVEN_TURNS(uneven_turns_345, 3, 4, 5)
UNEVEN_TURNS(uneven_turns_534, 5, 3, 4)
}
