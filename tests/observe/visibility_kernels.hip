// Two workgroups exchange data within a launch, each way that leaves a cache out, beside its clean twin. The line that a
// report must name ends in HERE.
#include "gfx950/buffer_resource.hpp"

namespace {
using namespace fmha950::gfx950;

enum class Release { fence, wait };
enum class Acquire { fence, nothing, past_caches };

constexpr uint32_t counter = 4096, flags = 4100, results = 8192; // of `out`

FMHA950_INLINE void wait_for_stores() { asm volatile("s_waitcnt vmcnt(0)" ::: "memory"); }

template <Release release> FMHA950_INLINE void publish() {
  if constexpr (release == Release::fence)
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "agent"); // buffer_wbl2 sc1, s_waitcnt vmcnt(0)
  else
    wait_for_stores();
}

// Whether this workgroup is the second to come here, which may read what the first has stored.
template <Acquire acquire> FMHA950_INLINE bool comes_last(uint32_t* out) {
  const uint32_t before =
      __hip_atomic_fetch_add(out + counter, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  if constexpr (acquire == Acquire::fence)
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "agent"); // buffer_inv sc1
  else
    asm volatile("" ::: "memory");
  return before % 2 == 1;
}

FMHA950_INLINE uint32_t* data_of(uint32_t* out, uint32_t workgroup) { return out + workgroup * 128; }

FMHA950_INLINE uint32_t plain_load(const uint32_t* address) {
  uint32_t value;
  asm volatile("global_load_dword %0, %1, off\n" // HERE plain_load
               "s_waitcnt vmcnt(0)"
               : "=v"(value)
               : "v"(address)
               : "memory");
  return value;
}
FMHA950_INLINE uint32_t load_past_caches(const uint32_t* address) {
  uint32_t value;
  asm volatile("global_load_dword %0, %1, off sc1\n"
               "s_waitcnt vmcnt(0)"
               : "=v"(value)
               : "v"(address)
               : "memory");
  return value;
}
template <bool invalidates> FMHA950_INLINE uint32_t scalar_load(const uint32_t* address) {
  uint32_t value;
  if constexpr (invalidates) asm volatile("s_dcache_inv" ::: "memory");
  asm volatile("s_load_dword %0, %1, 0x0\n" // HERE scalar_load
               "s_waitcnt lgkmcnt(0)"
               : "=s"(value)
               : "s"(address)
               : "memory");
  return value;
}

template <Release release, Acquire acquire> FMHA950_INLINE void exchange(uint32_t* out) {
  if (thread_id() != 0) return;
  const uint32_t workgroup = workgroup_id_x();
  *data_of(out, workgroup) = workgroup + 1;
  publish<release>();
  if (!comes_last<acquire>(out)) return;
  const uint32_t* const other = data_of(out, 1 - workgroup);
  out[results + workgroup] = acquire == Acquire::past_caches ? load_past_caches(other) : plain_load(other);
}

template <bool invalidates> FMHA950_INLINE void exchange_by_scalar(uint32_t* out) {
  const uint32_t workgroup = workgroup_id_x();
  *data_of(out, workgroup) = workgroup + 1;
  publish<Release::fence>();
  uint32_t last = 0;
  if (thread_id() == 0) last = comes_last<Acquire::fence>(out);
  if (__builtin_amdgcn_readfirstlane(last))
    out[results + workgroup] = scalar_load<invalidates>(data_of(out, 1 - workgroup));
}

// Flags of scope "workgroup" are sc0 alone, which passes neither cache.
template <bool agent> FMHA950_INLINE void exchange_flags(uint32_t* out) {
  if (thread_id() != 0) return;
  constexpr int scope = agent ? __HIP_MEMORY_SCOPE_AGENT : __HIP_MEMORY_SCOPE_WORKGROUP;
  uint32_t* const flag = out + flags;
  __hip_atomic_store(flag + workgroup_id_x(), 1, __ATOMIC_RELAXED, scope);
  const uint32_t other =
      __hip_atomic_load(flag + 1 - workgroup_id_x(), __ATOMIC_RELAXED, scope); // HERE flag_of_workgroup
  out[results + workgroup_id_x()] = other;
}
} // namespace

extern "C" {
__global__ void not_written_back_bad(uint32_t* out) { exchange<Release::wait, Acquire::fence>(out); }
__global__ void not_written_back_good(uint32_t* out) { exchange<Release::fence, Acquire::fence>(out); }

__global__ void not_invalidated_bad(uint32_t* out) { exchange<Release::fence, Acquire::nothing>(out); }
__global__ void not_invalidated_good(uint32_t* out) { exchange<Release::fence, Acquire::past_caches>(out); }

__global__ void flag_of_workgroup_bad(uint32_t* out) { exchange_flags<false>(out); }
__global__ void flag_of_workgroup_good(uint32_t* out) { exchange_flags<true>(out); }

__global__ void scalar_across_workgroups_bad(uint32_t* out) {
  if (thread_id() < 64) exchange_by_scalar<false>(out);
}
__global__ void scalar_across_workgroups_good(uint32_t* out) {
  if (thread_id() < 64) exchange_by_scalar<true>(out);
}

__global__ void scalar_behind_vector_bad(uint32_t* out) {
  if (thread_id() >= 64) return;
  *data_of(out, workgroup_id_x()) = 1;
  wait_for_stores();
  out[results + workgroup_id_x()] = scalar_load<false>(data_of(out, workgroup_id_x()));
}
__global__ void scalar_behind_vector_good(uint32_t* out) {
  if (thread_id() >= 64) return;
  *data_of(out, workgroup_id_x()) = 1;
  wait_for_stores();
  out[results + workgroup_id_x()] = scalar_load<true>(data_of(out, workgroup_id_x()));
}
}
