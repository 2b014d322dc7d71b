// Kernels for proofs about barriers and waits before them: what waves of a workgroup access in LDS follows from their
// work-items' numbers. Per claim one whose barrier is needed and its twin. They are never run.
#include "gfx950/kernel.hpp"

#define KERNEL(name, work_items, text)                                                                       \
  extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, work_items))) void name() {           \
    asm volatile(text ::: "memory", "vcc", "scc", "s8", "s9", "s31", "v63");                                 \
  }

#define ADDRESS "v_lshlrev_b32_e32 v9, 2, v0\n" // of the work-item's own word
#define OTHER(distance) "v_xor_b32_e32 v8, " distance ", v0\nv_lshlrev_b32_e32 v8, 2, v8\n" // of another's
#define WRITE "ds_write_b32 v9, v5\n"
#define SYNC "s_waitcnt lgkmcnt(0)\ns_barrier\n"
#define READ(from) "ds_read_b32 v6, " from "\ns_waitcnt lgkmcnt(0)\nv_add_u32_e32 v7, v6, v6\n"

KERNEL(own_word, 128, ADDRESS WRITE SYNC READ("v9"))
KERNEL(word_of_the_wave, 128, ADDRESS OTHER("32") WRITE SYNC READ("v8"))
KERNEL(word_of_the_other_wave, 128, ADDRESS OTHER("64") WRITE SYNC READ("v8"))
KERNEL(unknown_word, 128, ADDRESS WRITE SYNC READ("v4"))
KERNEL(unknown_word_one_wave, 64, ADDRESS WRITE SYNC READ("v4"))
KERNEL(two_barriers, 128, ADDRESS OTHER("64") WRITE SYNC "s_barrier\n" READ("v8"))

// Only the first work-items write, and all read what the first wave has written, or what some of both have.
#define SOME(count, lanes)                                                                                   \
  ADDRESS OTHER("16") "v_cmp_gt_u32_e32 vcc, " count                                                         \
                      ", v0\ns_and_saveexec_b64 s[8:9], vcc\n" WRITE SYNC lanes READ("v8")
KERNEL(some_of_one_wave, 128, SOME("32", ""))
KERNEL(some_of_one_wave_all_read, 128,
       ADDRESS "v_and_b32_e32 v8, 15, v0\nv_lshlrev_b32_e32 v8, 2, v8\nv_cmp_gt_u32_e32 vcc, 32, v0\n"
               "s_and_saveexec_b64 s[8:9], vcc\n" WRITE SYNC "s_mov_b64 exec, s[8:9]\n" READ("v8"))

// The way of a wave: by its number it is known, by memory it is not.
#define BY_WAVE "v_readfirstlane_b32 s8, v0\ns_cmp_lg_u32 s8, 64\n"
#define ONE_AHEAD(condition)                                                                                 \
  ADDRESS condition "s_cbranch_scc1 1f\ns_barrier\n1:\n" WRITE "s_barrier\n" READ("v9") condition            \
      "s_cbranch_scc0 2f\ns_barrier\n2:\n"
KERNEL(one_ahead, 128, ONE_AHEAD(BY_WAVE))
KERNEL(one_ahead_by_memory, 128,
       "s_load_dword s8, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n" ONE_AHEAD("s_cmp_lg_u32 s8, 64\n"))
// A wave that ends has dropped out of the barrier: without the last one the other wave's reads are nowhere, or too early.
KERNEL(one_ahead_then_read, 128,
       ADDRESS OTHER("64") BY_WAVE "s_cbranch_scc1 1f\ns_barrier\n1:\n" WRITE SYNC READ("v9") BY_WAVE
       "s_cbranch_scc0 2f\ns_barrier\n2:\n" READ("v8"))

// A count that the code fixes is followed around the loop; each time another half is written.
#define IN_LOOP(distance)                                                                                    \
  "s_mov_b32 s8, 0\n" ADDRESS OTHER(distance) "1:\n" WRITE SYNC READ(                                        \
      "v8") "v_xor_b32_e32 v9, 0x200, v9\n"                                                                  \
            "v_xor_b32_e32 v8, 0x200, v8\ns_add_u32 s8, s8, 1\ns_cmp_lt_u32 s8, 4\ns_cbranch_scc1 1b\n"
KERNEL(loop_of_the_wave, 128, IN_LOOP("32"))
KERNEL(loop_of_the_other_wave, 128, IN_LOOP("64"))

// Device memory: where it is accessed is not followed.
#define STORE "global_store_dword v[2:3], v5, off\n"
#define LOAD "global_load_dword v6, v[2:3], off\ns_waitcnt vmcnt(0)\nv_add_u32_e32 v7, v6, v6\n"
KERNEL(store_then_load, 128, STORE "s_waitcnt vmcnt(0)\ns_barrier\n" LOAD)
KERNEL(load_then_load, 128, LOAD "s_barrier\n" LOAD)

// A loop whose count is an argument: the waves' ways are not known, but they meet at each barrier.
#define BY_ARGUMENT "s_load_dword s8, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
#define UNKNOWN_LOOP(body)                                                                                   \
  BY_ARGUMENT "1:\n" body "s_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 1b\n"
#define LOAD_OVER_BARRIER "global_load_dword v6, v[2:3], off\ns_waitcnt vmcnt(0)\ns_barrier\n"
#define USE_V6 "s_waitcnt vmcnt(0)\nv_add_u32_e32 v7, v6, v6\n"
KERNEL(load_in_loop, 128, UNKNOWN_LOOP(LOAD_OVER_BARRIER USE_V6) STORE)
KERNEL(load_in_loop_ordered, 128, UNKNOWN_LOOP(LOAD_OVER_BARRIER USE_V6) "s_barrier\n" STORE)
KERNEL(load_in_loop_of_stores, 128, UNKNOWN_LOOP(LOAD_OVER_BARRIER USE_V6 STORE) "s_barrier\n")
KERNEL(load_in_loop_by_wave, 128,
       BY_WAVE "1:\n" LOAD_OVER_BARRIER USE_V6 "s_sub_u32 s8, s8, 64\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 1b\n"
               "s_load_dword s8, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 3f\n"
               "s_barrier\n3:\n")
// An LDS read is no flag for a load if no wave stores meanwhile.
#define READ_THEN_LOAD                                                                                       \
  "ds_read_b32 v5, v9\ns_waitcnt lgkmcnt(0)\n" LOAD "s_waitcnt lgkmcnt(0)\nv_add_u32_e32 v7, v5, v5\n"
KERNEL(flag_after_stores, 128,
       BY_ARGUMENT "s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 1f\n" STORE
                   "1:\ns_waitcnt vmcnt(0)\ns_barrier\n" READ_THEN_LOAD)
KERNEL(flag_with_stores, 128,
       BY_ARGUMENT "s_barrier\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 1f\n" STORE
                   "s_waitcnt vmcnt(0)\nds_write_b32 v9, v5\n1:\n" READ_THEN_LOAD)
KERNEL(flag_with_stores_in_flight, 128,
       BY_ARGUMENT "s_cmp_lg_u32 s8, 0\ns_cbranch_scc1 1f\n" STORE "1:\ns_barrier\n" READ_THEN_LOAD)

// LDS DMA of each wave into one of two places, by a parity that is not known: its own, or one of all waves. It is in flight
// over a barrier, behind which a lane reads another's word of the same wave's place, or of the first wave's.
#define TWO_PLACES(base, reads)                                                                              \
  BY_ARGUMENT                                                                                                \
  "v_readfirstlane_b32 s9, v0\ns_lshr_b32 s9, s9, 6\ns_lshl_b32 s9, s9, " base "\n"                          \
  "v_mov_b32_e32 v10, s9\nv_and_b32_e32 v11, 63, v0\nv_lshl_or_b32 v11, v11, 2, v10\n"                       \
  "1:\ns_and_b32 s12, s8, 1\ns_lshl_b32 s12, s12, 8\ns_add_i32 s12, s12, s9\ns_mov_b32 m0, s12\n"            \
  "s_nop 0\nglobal_load_lds_dword v[2:3], off\ns_waitcnt vmcnt(0)\ns_barrier\n" reads                        \
  "s_waitcnt vmcnt(0)\ns_barrier\ns_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 1b\n"
#define ELSEWHERE "ds_read_b32 v6, v11 offset:4096\ns_waitcnt lgkmcnt(0)\nv_add_u32_e32 v7, v6, v6\n"
#define IN_EITHER_PLACE "ds_read_b32 v6, v11\ns_waitcnt lgkmcnt(0)\nv_add_u32_e32 v7, v6, v6\n"
KERNEL(own_places, 128, TWO_PLACES("9", ELSEWHERE))
// By a truth table: the union of the bits is elsewhere whatever the parity is, what is common to them need not be.
#define BY_TABLE(table)                                                                                      \
  "s_and_b32 s13, s8, 1\ns_lshl_b32 s13, s13, 11\ns_or_b32 s13, s13, 0x1000\n"                               \
  "v_bitop3_b32 v12, v11, s13, s13 bitop3:" table "\nds_read_b32 v6, v12\ns_waitcnt lgkmcnt(0)\n"            \
  "v_add_u32_e32 v7, v6, v6\n"
KERNEL(own_places_by_table, 128, TWO_PLACES("9", BY_TABLE("0xfc")))
KERNEL(own_places_by_table_read, 128, TWO_PLACES("9", BY_TABLE("0xc0")))
KERNEL(own_places_read, 128, TWO_PLACES("9", IN_EITHER_PLACE))
KERNEL(places_that_reach_the_reads, 128, TWO_PLACES("12", ELSEWHERE))

// A barrier is a wait state, too: eight are wanted.
#define MFMA "v_mfma_f32_16x16x16_f16 v[20:23], v[24:25], v[26:27], 0\n"
KERNEL(barrier_as_state, 64, MFMA "s_nop 6\ns_barrier\nv_add_f32_e32 v9, v20, v20\n")
KERNEL(barrier_beyond_states, 64, MFMA "s_nop 7\ns_barrier\nv_add_f32_e32 v9, v20, v20\n")

// In two dimensions v0 is no work-item's number.
extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 128))) void
own_word_in_two_dimensions() {
  asm volatile("" ::"v"(__builtin_amdgcn_workitem_id_y()));
  asm volatile(ADDRESS WRITE SYNC READ("v9")::: "memory", "v63");
}
