// Kernels for proofs that follow pointers to the arguments of a kernel: a load is in flight over a barrier, behind which is a
// store. Per rule one whose store is through another argument, and a twin of which that is not known. They are never run.
#include "gfx950/kernel.hpp"

#define KERNEL(name, text)                                                                                   \
  extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 128))) void name(const int*, int*,    \
                                                                                        const int*) {        \
    asm volatile("s_load_dwordx4 s[8:11], s[0:1], 0x0\ns_load_dwordx2 s[12:13], s[0:1], 0x10\n"              \
                 "s_waitcnt lgkmcnt(0)\nv_lshlrev_b32_e32 v1, 2, v0\n" text ::                               \
                     : "memory", "vcc", "scc", "s30", "v63");                                                \
  }
// Of the arguments: the first and the third are read, the second is written.
#define FIRST "s[8:9]"
#define SECOND "s[10:11]"

#define LOAD(address) "global_load_dword v6, " address "\n"
#define STORE(address) "global_store_dword " address "\n"
#define OVER_BARRIER "s_waitcnt vmcnt(0)\ns_barrier\n"
#define USE "s_waitcnt vmcnt(0)\nv_add_u32_e32 v7, v6, v6\n"
#define STORES(name, setup, address) KERNEL(name, setup LOAD("v1, " FIRST) OVER_BARRIER STORE(address) USE)

STORES(other_argument, "", "v1, v5, " SECOND)
STORES(same_argument, "", "v1, v5, " FIRST)

#define VECTOR(pointer, shift) "v_mov_b32_e32 v9, 0\nv_lshl_add_u64 v[2:3], " pointer ", " shift ", v[8:9]\n"
STORES(by_vector, VECTOR(SECOND, "0"), "v[2:3], v5, off")
STORES(by_vector_same, VECTOR(FIRST, "0"), "v[2:3], v5, off")
STORES(by_vector_shifted, VECTOR(SECOND, "2"), "v[2:3], v5, off")

#define SELECT(a, b) "s_cmp_lg_u32 s8, 0\ns_cselect_b64 s[14:15], " a ", " b "\n"
KERNEL(either_of_the_read,
       SELECT(FIRST, "s[12:13]") LOAD("v1, s[14:15]") OVER_BARRIER STORE("v1, v5, " SECOND) USE)
STORES(either_of_all, SELECT(FIRST, SECOND), "v1, v5, s[14:15]")

STORES(with_offset, "s_add_u32 s14, s10, 64\ns_addc_u32 s15, s11, 0\n", "v1, v5, s[14:15]")
STORES(sum_of_two, "s_add_u32 s14, s8, s10\ns_addc_u32 s15, s9, s11\n", "v1, v5, s[14:15]")
STORES(difference, "s_sub_u32 s14, s10, s8\ns_subb_u32 s15, s11, s9\n", "v1, v5, s[14:15]")

#define LOADED(from) "s_load_dwordx2 s[14:15], " from "\ns_waitcnt lgkmcnt(0)\n"
STORES(loaded_again, LOADED("s[0:1], 0x8"), "v1, v5, s[14:15]")
STORES(loaded_at_unknown, LOADED("s[0:1], s8"), "v1, v5, s[14:15]")
STORES(loaded_from_memory, LOADED("s[12:13], 0x8"), "v1, v5, s[14:15]")
STORES(loaded_beside, "s_add_u32 s16, s0, 8\ns_addc_u32 s17, s1, 0\n" LOADED("s[16:17], 0x0"),
       "v1, v5, s[14:15]")

#define RESOURCE(low, high)                                                                                  \
  "s_mov_b32 s16, " low "\ns_and_b32 s17, " high ", 0xffff\ns_mov_b32 s18, -1\ns_mov_b32 s19, 0x27000\n"
#define BY_RESOURCE(name, low, high)                                                                         \
  KERNEL(name, RESOURCE(low, high) LOAD("v1, " FIRST) OVER_BARRIER                                           \
         "buffer_store_dword v5, v1, s[16:19], 0 offen\n" USE)
BY_RESOURCE(by_resource, "s10", "s11")
BY_RESOURCE(by_resource_same, "s8", "s9")

// Some lanes get another pointer. What lanes have that EXEC masks out comes back with EXEC.
#define TO_V2(pointer) "v_mov_b32_e32 v2, 0\nv_lshl_add_u64 v[2:3], " pointer ", 0, 0\n"
#define SOME(lanes_then) "v_cmp_lt_u32_e32 vcc, 7, v0\ns_and_saveexec_b64 s[14:15], vcc\n" lanes_then
STORES(some_lanes_all_second, TO_V2(SECOND) SOME("s_or_b64 exec, exec, s[14:15]\n"), "v[2:3], v5, off")
STORES(some_lanes_first_before, TO_V2(FIRST) SOME(TO_V2(SECOND)), "v[2:3], v5, off")
STORES(all_lanes_first_before, TO_V2(FIRST) SOME(TO_V2(SECOND) "s_or_b64 exec, exec, s[14:15]\n"),
       "v[2:3], v5, off")
STORES(other_lanes_first_before, TO_V2(FIRST) SOME(TO_V2(SECOND) "s_xor_b64 exec, exec, s[14:15]\n"),
       "v[2:3], v5, off")
STORES(lanes_by_unknown_mask, TO_V2(FIRST) SOME(TO_V2(SECOND) "s_mov_b64 exec, s[12:13]\n"),
       "v[2:3], v5, off")
STORES(mask_written_meanwhile,
       TO_V2(FIRST) SOME(TO_V2(SECOND) "s_mov_b64 s[14:15], -1\ns_mov_b64 exec, s[14:15]\n"),
       "v[2:3], v5, off")

// A load that may read a flag: what a workgroup stores elsewhere may tell another to store here.
STORES(with_poll, "global_load_dword v10, v1, s[12:13] sc1\n", "v1, v5, " SECOND)
STORES(with_atomic, "global_atomic_add v1, v5, s[12:13]\n", "v1, v5, " SECOND)

// LDS DMA in flight at a store, and an LDS read before a load that a flag may allow.
#define DMA "s_mov_b32 m0, 0\ns_nop 0\nglobal_load_lds_dword v1, " FIRST "\ns_waitcnt vmcnt(0)\n"
KERNEL(dma_then_store, DMA STORE("v1, v5, " SECOND) "s_waitcnt vmcnt(0)\n")
KERNEL(dma_then_store_same, DMA STORE("v1, v5, " FIRST) "s_waitcnt vmcnt(0)\n")
#define FLAG(pointer)                                                                                        \
  STORE("v1, v5, " pointer)                                                                                  \
  "s_barrier\nds_read_b32 v10, v1\ns_waitcnt lgkmcnt(0)\n" LOAD("v1, " FIRST) USE                            \
      "s_waitcnt lgkmcnt(0)\nv_add_u32_e32 v7, v10, v10\n"
KERNEL(flag_of_other, FLAG(SECOND))
KERNEL(flag_of_same, FLAG(FIRST))

// Some waves have another barrier, which argument says: their last one.
#define LAST(name, before, behind)                                                                           \
  KERNEL(name, before OVER_BARRIER "s_cmp_lg_u32 s12, 0\ns_cbranch_scc1 1f\ns_barrier\n1:\n" behind)
LAST(last_before_nothing, LOAD("v1, " FIRST), "")
LAST(last_before_store, LOAD("v1, " FIRST), STORE("v1, v5, " SECOND))
LAST(last_before_store_same, LOAD("v1, " FIRST), STORE("v1, v5, " FIRST))
LAST(last_between_stores, STORE("v1, v5, " SECOND), STORE("v1, v5, " FIRST))
LAST(last_before_lds, LOAD("v1, " FIRST), "ds_read_b32 v6, v1\ns_waitcnt lgkmcnt(0)\n")
LAST(last_of_polling, LOAD("v1, " FIRST " sc1"), STORE("v1, v5, " SECOND))
LAST(last_but_one, LOAD("v1, " FIRST), "s_barrier\n")
