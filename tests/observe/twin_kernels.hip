// Faulty kernels and their clean twins: what one class of hazard reports beyond its shortest example
// (hazard_kernels.hip). The line that a report must name ends in HERE.
#include "gfx950/buffer_resource.hpp"

namespace {
using namespace fmha950::gfx950;

FMHA950_INLINE uint32_t global_id() { return workgroup_id_x() * 128 + thread_id(); }

// The kernel declares 512 bytes of LDS.
FMHA950_INLINE uint32_t declared_lds(bool good, uint32_t lane_offset) {
  __shared__ uint32_t values[128];
  asm volatile("" ::"v"((__attribute__((address_space(3))) uint32_t*)values) : "memory");
  return thread_id() * 4 + (good ? 0 : lane_offset);
}

FMHA950_INLINE void load_to_lds(uint32_t begin, const uint32_t* from) {
  asm volatile("s_mov_b32 m0, %0\n" // HERE lds_dma_past_the_end
               "s_nop 0\n"
               "global_load_lds_dword %1, off\n"
               "s_waitcnt vmcnt(0)" ::"s"(begin),
               "v"(from + thread_id())
               : "memory");
}

struct Flagged {
  uint32_t values[64], flag;
};

FMHA950_INLINE Flagged& flagged() {
  __shared__ Flagged shared;
  if (thread_id() == 0) shared.flag = 0;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  return shared;
}

FMHA950_INLINE void set(uint32_t& flag, uint32_t value) {
  __hip_atomic_store(&flag, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_WORKGROUP);
}

FMHA950_INLINE uint32_t get(uint32_t& flag) {
  return __hip_atomic_load(&flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_WORKGROUP); // HERE get
}

FMHA950_INLINE bool exchange(uint32_t& flag, uint32_t from, uint32_t to) {
  return __hip_atomic_compare_exchange_strong(&flag, &from, to, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE,
                                              __HIP_MEMORY_SCOPE_WORKGROUP);
}

FMHA950_INLINE void announced_load(bool waits, uint32_t* out) {
  Flagged& shared = flagged();
  const uint32_t lane = thread_id() % 64;
  if (wave_id() == 0) {
    asm volatile("s_mov_b32 m0, %0\n" // HERE announced_load
                 "s_nop 0\n"
                 "global_load_lds_dword %1, off\n" ::"s"(
                     (uint32_t)(__attribute__((address_space(3))) uint32_t*)shared.values),
                 "v"(out + lane)
                 : "memory");
    if (waits) asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
    __hip_atomic_store(&shared.flag, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  } else {
    while (get(shared.flag) == 0) __builtin_amdgcn_s_sleep(1);
    out[1024 + global_id()] = shared.values[lane];
  }
}

FMHA950_INLINE void walked_list(bool meets, uint32_t* out) {
  __shared__ uint32_t next[64];
  const uint32_t lane = thread_id() % 64;
  if (wave_id() == 1) next[lane] = 0;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  if (wave_id() == 0) next[lane] = lane ? lane - 1 : 0;
  if (meets) {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  }
  if (wave_id() == 1) {
    uint32_t at = 63;
    while (at) at = *(volatile uint32_t*)&next[at]; // HERE walked_list
    out[global_id()] = at;
  }
}

FMHA950_INLINE void locked_sum(bool locks, uint32_t* out) {
  Flagged& shared = flagged();
  if (thread_id() == 0) shared.values[0] = 0;
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  if (thread_id() % 64 == 0) {
    if (locks)
      while (!exchange(shared.flag, 0, 1)) __builtin_amdgcn_s_sleep(1);
    shared.values[0] += thread_id() + 1; // HERE locked_sum
    if (locks) set(shared.flag, 0);
  }
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
  if (thread_id() == 0) out[workgroup_id_x()] = shared.values[0];
}

FMHA950_INLINE void last_wave_reads(bool counts_last, uint32_t* out) {
  Flagged& shared = flagged();
  const uint32_t wave = wave_id();
  uint32_t before = 0;
  if (!counts_last)
    before = __hip_atomic_fetch_add(&shared.flag, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP);
  if (thread_id() % 64 == 0) *(volatile uint32_t*)&shared.values[wave] = wave + 1;
  if (counts_last)
    before = __hip_atomic_fetch_add(&shared.flag, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_WORKGROUP);
  if (thread_id() % 64 == 0 && before >= 64)
    out[workgroup_id_x()] = shared.values[1 - wave]; // HERE last_wave_reads
}

FMHA950_INLINE void polled_flag(uint32_t* out) {
  Flagged& shared = flagged();
  const uint32_t lane = thread_id() % 64;
  if (wave_id() == 0) {
    shared.values[lane] = lane;
    set(shared.flag, 1);
  } else {
    while (get(shared.flag) == 0) __builtin_amdgcn_s_sleep(1);
    out[global_id()] = shared.values[lane];
  }
}
} // namespace

extern "C" {

// One workgroup initialises the counter in the launch in which all count.
__global__ void atomics_beside_a_store_bad(uint32_t* out) {
  if (global_id() == 0) *out = 7; // HERE atomics_beside_a_store
  if (thread_id() == 0) __atomic_fetch_add(out, 1, __ATOMIC_RELAXED);
}
__global__ void atomics_beside_a_store_good(uint32_t* out) {
  if (global_id() == 0) __atomic_store_n(out, 7, __ATOMIC_RELAXED);
  if (thread_id() == 0) __atomic_fetch_add(out, 1, __ATOMIC_RELAXED);
}

// Two workgroups store to one place: equal values are no error, but worth a look.
__global__ void equal_stores_bad(uint32_t* out) {
  if (thread_id() == 0) *out = 7; // HERE equal_stores
}
__global__ void equal_stores_good(uint32_t* out) {
  if (global_id() == 0) *out = 7;
}
__global__ void different_stores_bad(uint32_t* out) {
  if (thread_id() == 0) *out = workgroup_id_x(); // HERE different_stores
}
__global__ void different_stores_good(uint32_t* out) {
  if (thread_id() == 0) out[workgroup_id_x()] = workgroup_id_x();
}

// Likewise two waves by LDS DMA, from places of their own.
FMHA950_INLINE const uint32_t* stored(uint32_t* out, uint32_t value) {
  declared_lds(true, 0);
  out[global_id()] = value;
  asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
  return out + global_id();
}
__global__ void equal_dma_bad(uint32_t* out) {
  const uint32_t* own = stored(out, thread_id() % 64);
  asm volatile("s_mov_b32 m0, 0\n" // HERE equal_dma
               "s_nop 0\n"
               "global_load_lds_dword %0, off" ::"v"(own)
               : "memory");
}
__global__ void equal_dma_good(uint32_t* out) {
  const uint32_t* own = stored(out, thread_id() % 64);
  if (wave_id() == 0) load_to_lds(0, own - thread_id());
}
__global__ void different_dma_bad(uint32_t* out) {
  const uint32_t* own = stored(out, thread_id());
  asm volatile("s_mov_b32 m0, 0\n" // HERE different_dma
               "s_nop 0\n"
               "global_load_lds_dword %0, off" ::"v"(own)
               : "memory");
}
__global__ void different_dma_good(uint32_t* out) {
  const uint32_t* own = stored(out, thread_id());
  if (wave_id() == 0) load_to_lds(0, own - thread_id());
}

__global__ void lds_write_past_the_end_bad(uint32_t* out) {
  const uint32_t address = declared_lds(false, 4);
  asm volatile("ds_write_b32 %0, %0" ::"v"(address) : "memory"); // HERE lds_write_past_the_end
  out[global_id()] = address;
}
__global__ void lds_write_past_the_end_good(uint32_t* out) {
  const uint32_t address = declared_lds(true, 4);
  asm volatile("ds_write_b32 %0, %0" ::"v"(address) : "memory");
  out[global_id()] = address;
}
__global__ void lds_read_past_the_end_bad(uint32_t* out) {
  const uint32_t address = declared_lds(false, 256);
  uint64_t value;
  asm volatile("ds_read2st64_b32 %0, %1 offset1:1\n" // HERE lds_read_past_the_end
               "s_waitcnt lgkmcnt(0)"
               : "=v"(value)
               : "v"(address)
               : "memory");
  out[global_id()] = 1;
}
__global__ void lds_read_past_the_end_good(uint32_t* out) {
  const uint32_t address = declared_lds(true, 0) % 256;
  uint64_t value;
  asm volatile("ds_read2st64_b32 %0, %1 offset1:1\n"
               "s_waitcnt lgkmcnt(0)"
               : "=v"(value)
               : "v"(address)
               : "memory");
  out[global_id()] = 1;
}
__global__ void lds_dma_past_the_end_bad(uint32_t* out) {
  declared_lds(true, 0);
  if (wave_id() == 0) load_to_lds(260, out);
}
__global__ void lds_dma_past_the_end_good(uint32_t* out) {
  declared_lds(true, 0);
  if (wave_id() == 0) load_to_lds(256, out);
}

// M0 right before LDS DMA: forbidden by the documents, done in shipped code.
__global__ void m0_before_dma_bad(uint32_t* out) {
  declared_lds(true, 0);
  if (wave_id() == 0)
    asm volatile("s_mov_b32 m0, 0\n" // HERE m0_before_dma
                 "global_load_lds_dword %0, off\n"
                 "s_waitcnt vmcnt(0)" ::"v"(out + thread_id())
                 : "memory");
}
__global__ void m0_before_dma_good(uint32_t* out) {
  declared_lds(true, 0);
  if (wave_id() == 0) load_to_lds(0, out);
}

// A stop with a cause is a report, too.
__global__ void partial_transpose_bad(uint32_t* out) {
  const uint32_t address = declared_lds(true, 0) * 2 % 512;
  uint64_t value = 0;
  if (thread_id() % 64 < 32)
    asm volatile("ds_read_b64_tr_b16 %0, %1\n" // HERE partial_transpose
                 "s_waitcnt lgkmcnt(0)"
                 : "=v"(value)
                 : "v"(address)
                 : "memory");
  out[global_id()] = 1;
}
__global__ void partial_transpose_good(uint32_t* out) {
  const uint32_t address = declared_lds(true, 0) * 2 % 512;
  uint64_t value = 0;
  asm volatile("ds_read_b64_tr_b16 %0, %1\n"
               "s_waitcnt lgkmcnt(0)"
               : "=v"(value)
               : "v"(address)
               : "memory");
  out[global_id()] = 1;
}

// An index that one path leaves unset.
__global__ void unset_index_bad(uint32_t* out) {
  uint32_t index;
  asm volatile("" : "={v77}"(index)); // says that it writes, and does not
  out[index % 128] = 1;               // HERE unset_index
}
__global__ void unset_index_good(uint32_t* out) {
  uint32_t index;
  asm volatile("v_mov_b32 %0, 5" : "=v"(index));
  if (global_id() == 0) out[index % 128] = 1;
}

// --- order by flags in LDS: each kernel has two waves ---

// A producer sets a flag and a consumer polls it.
__global__ void polled_flag_bad(uint32_t* out) {
  Flagged& shared = flagged();
  const uint32_t lane = thread_id() % 64;
  if (wave_id() == 0) {
    set(shared.flag, 1);
    *(volatile uint32_t*)&shared.values[lane] = lane;
  } else {
    while (get(shared.flag) == 0) __builtin_amdgcn_s_sleep(1);
    out[global_id()] = shared.values[lane]; // HERE polled_flag
  }
}
__global__ void polled_flag_good(uint32_t* out) { polled_flag(out); }

// A flag that is looked at once may not be set yet.
__global__ void flag_seen_once_bad(uint32_t* out) {
  Flagged& shared = flagged();
  const uint32_t lane = thread_id() % 64;
  if (wave_id() == 0) {
    shared.values[lane] = lane;
    set(shared.flag, 1);
  } else if (get(shared.flag)) {
    out[global_id()] = shared.values[lane]; // HERE flag_seen_once
  }
}
__global__ void flag_seen_once_good(uint32_t* out) { polled_flag(out); }

// A loop that gives up has not seen the flag.
__global__ void flag_given_up_bad(uint32_t* out) {
  Flagged& shared = flagged();
  const uint32_t lane = thread_id() % 64;
  if (wave_id() == 0) {
    shared.values[lane] = lane;
    set(shared.flag, 1);
  } else {
    uint32_t tries = 0, seen;
    asm volatile("1: ds_read_b32 %1, %2\n" // HERE flag_given_up
                 "s_waitcnt lgkmcnt(0)\n"
                 "v_cmp_ne_u32 vcc, 0, %1\n"
                 "s_cbranch_vccnz 2f\n"
                 "s_add_u32 %0, %0, 1\n"
                 "s_cmp_lt_u32 %0, 100\n"
                 "s_cbranch_scc1 1b\n"
                 "2:"
                 : "+s"(tries), "=&v"(seen)
                 : "v"((__attribute__((address_space(3))) uint32_t*)&shared.flag)
                 : "memory", "vcc", "scc");
    out[global_id()] = shared.values[lane] + tries + seen;
  }
}
__global__ void flag_given_up_good(uint32_t* out) { polled_flag(out); }

// LDS DMA that a flag announces must have been waited for.
__global__ void announced_load_bad(uint32_t* out) { announced_load(false, out); }
__global__ void announced_load_good(uint32_t* out) { announced_load(true, out); }

// A list in LDS is walked: each read gives the address of the next, so none is a poll.
__global__ void walked_list_bad(uint32_t* out) { walked_list(false, out); }
__global__ void walked_list_good(uint32_t* out) { walked_list(true, out); }

// A lock that compare-and-swap takes and a store gives back.
__global__ void locked_sum_bad(uint32_t* out) { locked_sum(false, out); }
__global__ void locked_sum_good(uint32_t* out) { locked_sum(true, out); }

// The last wave to count itself reads what the others have left: the atomic orders.
__global__ void last_wave_reads_bad(uint32_t* out) { last_wave_reads(false, out); }
__global__ void last_wave_reads_good(uint32_t* out) { last_wave_reads(true, out); }

// --- what public trackers report (docs/hardware/errata.md) ---

__global__ void descriptor_past_the_end_bad(uint32_t* out) {
  const BufferResource all = raw_buffer(out, 0x7fffffff);
  __builtin_amdgcn_raw_buffer_store_b32(1, all, global_id() * 4, 0, 0); // HERE descriptor_past_the_end
}
__global__ void descriptor_past_the_end_good(uint32_t* out) {
  const BufferResource all = raw_buffer(out, 65536);
  __builtin_amdgcn_raw_buffer_store_b32(1, all, global_id() * 4, 0, 0);
}

// A dword at an odd address: into a register its low bits are ignored, into LDS they are honoured.
#define ODD_DWORD(load)                                                                                      \
  declared_lds(true, 0);                                                                                     \
  const BufferResource all = raw_buffer(out, 65536);                                                         \
  const uint32_t address = thread_id() * 4 + 1;                                                              \
  if (wave_id() == 0)                                                                                        \
  asm volatile("s_mov_b32 m0, 0\n"                                                                           \
               "s_nop 0\n" load "s_waitcnt vmcnt(0)" ::"v"(address),                                         \
               "s"(all)                                                                                      \
               : "memory", "v12")
__global__ void odd_dword_bad(uint32_t* out) {
  ODD_DWORD("buffer_load_dword v12, %0, %1, 0 offen\n"); // HERE odd_dword
}
__global__ void odd_dword_good(uint32_t* out) { ODD_DWORD("buffer_load_dword %0, %1, 0 offen lds\n"); }

__global__ void clamped_atomic_bad(uint32_t* out) {
  const BufferResource some = raw_buffer(out, 256);
  __builtin_amdgcn_raw_ptr_buffer_atomic_add_i32(1, some, thread_id() * 4, 0, 0); // HERE clamped_atomic
}
__global__ void clamped_atomic_good(uint32_t* out) {
  const BufferResource some = raw_buffer(out, 512);
  __builtin_amdgcn_raw_ptr_buffer_atomic_add_i32(1, some, thread_id() * 4, 0, 0);
}

__global__ void wrong_selection_bad(uint32_t* out) {
  uint64_t value = thread_id();
  asm volatile("s_nop 1\n" // HERE wrong_selection
               "v_pk_fma_f32 %0, %0, %0, %0 op_sel:[0,1,0]\n"
               "s_nop 1"
               : "+v"(value));
  out[global_id()] = static_cast<uint32_t>(value);
}
__global__ void wrong_selection_good(uint32_t* out) {
  uint64_t value = thread_id();
  asm volatile("s_nop 1\n"
               "v_pk_fma_f32 %0, %0, %0, %0 op_sel:[1,0,0]\n"
               "v_pk_add_f32 %0, %0, %0 op_sel:[0,1]\n"
               "s_nop 1"
               : "+v"(value));
  out[global_id()] = static_cast<uint32_t>(value);
}
}
