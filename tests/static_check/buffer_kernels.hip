// Kernels for proofs about num_records: a load through a buffer whose offset is an entry of a table, scaled, or known in its
// bits. Per rule one whose offsets are all within the buffer, and a twin of which that is not known. They are never run.
#include "gfx950/kernel.hpp"

// s[8:9] is the table, s[10:11] the buffer, s12 the count, s13 and s14 two shifts; v1 is a lane's entry, v2 is 16 times its
// number modulo 16.
#define KERNEL(name, text)                                                                                   \
  extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 64))) void name(                      \
      const int*, const int*, unsigned, unsigned, unsigned) {                                                \
    asm volatile("s_load_dwordx4 s[8:11], s[0:1], 0x0\ns_load_dwordx2 s[12:13], s[0:1], 0x10\n"              \
                 "s_load_dword s14, s[0:1], 0x18\ns_waitcnt lgkmcnt(0)\nv_lshlrev_b32_e32 v3, 2, v0\n"       \
                 "v_and_b32_e32 v2, 15, v0\nv_lshlrev_b32_e32 v2, 4, v2\n" ENTRY text ::                     \
                     : "memory", "vcc", "scc", "s30", "v63");                                                \
  }
#define ENTRY "global_load_dword v1, v3, s[8:9]\ns_waitcnt vmcnt(0)\n"
#define RESOURCE(records)                                                                                    \
  "s_mov_b32 s16, s10\ns_and_b32 s17, s11, 0xffff\n" records "s_mov_b32 s19, 0x20000\n"
#define LOAD(operands) "buffer_load_dwordx4 v[4:7], " operands "\n"

// Known in its bits: 64 lanes of 16 bytes are 1,024.
#define KNOWN(name, records, operands)                                                                       \
  KERNEL(name, RESOURCE("s_movk_i32 s18, " records "\n") "v_lshlrev_b32_e32 v8, 4, v0\n" LOAD(operands))
KNOWN(known, "0x400", "v8, s[16:19], 0 offen")
KNOWN(known_beyond, "0x3ff", "v8, s[16:19], 0 offen")
KNOWN(known_with_offset, "0x410", "v8, s[16:19], 0 offen offset:16")
KNOWN(known_with_offset_beyond, "0x410", "v8, s[16:19], 0 offen offset:17")
KNOWN(known_with_soffset_beyond, "0x7ff", "v8, s[16:19], s12 offen")
KNOWN(known_by_index, "0x400", "v8, s[16:19], 0 idxen")
KERNEL(known_by_format,
       RESOURCE("s_movk_i32 s18, 0x400\n") "v_lshlrev_b32_e32 v8, 4, v0\n"
                                           "buffer_load_format_x v4, v8, s[16:19], 0 offen\n")
KERNEL(known_with_unknown_word3,
       RESOURCE("s_movk_i32 s18, 0x400\n") "s_mov_b32 s19, s12\n"
                                           "v_lshlrev_b32_e32 v8, 4, v0\n" LOAD("v8, s[16:19], 0 offen"))

// Scaled by a constant: rows of 256 bytes.
#define ROWS RESOURCE("s_lshl_b32 s18, s12, 8\n")
#define OF_ROW "v_lshl_or_b32 v8, v1, 8, v2\n"
#define ENTRIES(name, offset, operands) KERNEL(name, ROWS offset LOAD(operands))
ENTRIES(rows, OF_ROW, "v8, s[16:19], 0 offen")
ENTRIES(rows_beyond, OF_ROW, "v8, s[16:19], 0 offen offset:1")
ENTRIES(rows_larger, "v_lshl_or_b32 v8, v1, 9, v2\n", "v8, s[16:19], 0 offen")
ENTRIES(rows_overlapping, "v_lshl_or_b32 v8, v1, 4, v2\n", "v8, s[16:19], 0 offen")
ENTRIES(rows_with_unknown, "v_lshl_or_b32 v8, v1, 8, v9\n", "v8, s[16:19], 0 offen")
ENTRIES(rows_with_complement, OF_ROW "v_bitop3_b32 v8, v8, v2, v2 bitop3:0x3f\n", "v8, s[16:19], 0 offen")
ENTRIES(rows_of_sum, "v_add_u32_e32 v1, v1, v1\n" OF_ROW, "v8, s[16:19], 0 offen")
KERNEL(rows_of_other_count,
       RESOURCE("s_lshr_b32 s18, s12, 1\ns_lshl_b32 s18, s18, 8\n") OF_ROW LOAD("v8, s[16:19], 0 offen"))
KERNEL(rows_of_loaded_count, RESOURCE("s_load_dword s18, s[8:9], 0x0\ns_waitcnt lgkmcnt(0)\n"
                                      "s_lshl_b32 s18, s18, 8\n") OF_ROW LOAD("v8, s[16:19], 0 offen"))
// The second load through the same resource is the one beyond it.
ENTRIES(rows_twice, OF_ROW, "v8, s[16:19], 0 offen\nbuffer_load_dwordx4 v[4:7], v8, s[16:19], 0 offen")
ENTRIES(rows_second_beyond, OF_ROW,
        "v8, s[16:19], 0 offen\nbuffer_load_dwordx4 v[4:7], v8, s[16:19], 0 offen offset:16")

// Scaled by an argument: pages of 1 << s13 rows.
#define PAGES RESOURCE("s_lshl_b32 s18, s12, s13\ns_lshl_b32 s18, s18, 8\n")
#define IN_PAGE(shift, row)                                                                                  \
  "s_lshl_b32 s20, -1, " shift "\nv_lshlrev_b32_e32 v1, s13, v1\n" row OF_ROW LOAD("v8, s[16:19], 0 offen")
KERNEL(pages, PAGES IN_PAGE("s13", "v_bitop3_b32 v1, v9, v1, s20 bitop3:0xdc\n"))
KERNEL(pages_by_not, PAGES IN_PAGE("s13", "s_not_b32 s20, s20\nv_and_or_b32 v1, v9, s20, v1\n"))
KERNEL(pages_first_rows, PAGES IN_PAGE("s13", ""))
KERNEL(pages_other_mask, PAGES IN_PAGE("s14", "v_bitop3_b32 v1, v9, v1, s20 bitop3:0xdc\n"))
KERNEL(pages_contrary_mask, PAGES IN_PAGE("s13", "v_and_or_b32 v1, v9, s20, v1\n"))
KERNEL(pages_without_mask, PAGES IN_PAGE("s13", "v_or_b32_e32 v1, v9, v1\n"))
KERNEL(pages_of_other_size, RESOURCE("s_lshl_b32 s18, s12, s14\ns_lshl_b32 s18, s18, 8\n")
                                IN_PAGE("s13", "v_bitop3_b32 v1, v9, v1, s20 bitop3:0xdc\n"))

// On two paths, in a loop, and in some lanes.
#define EITHER(other) "s_cmp_eq_u32 s12, 7\ns_cbranch_scc1 1f\n" other "1:\n"
KERNEL(on_two_paths, ROWS EITHER(ENTRY) OF_ROW LOAD("v8, s[16:19], 0 offen"))
KERNEL(on_one_path, ROWS EITHER("v_mov_b32_e32 v1, v9\n") OF_ROW LOAD("v8, s[16:19], 0 offen"))
#define LOOP(text)                                                                                           \
  ROWS OF_ROW "1:\n" LOAD("v8, s[16:19], 0 offen") text                                                      \
      "s_sub_u32 s12, s12, 1\ns_cmp_lg_u32 s12, 0\ns_cbranch_scc1 1b\n"
KERNEL(in_a_loop, LOOP(ENTRY OF_ROW))
KERNEL(in_a_loop_growing, LOOP("v_add_u32_e32 v8, 16, v8\n"))
#define SOME(text) "v_cmp_lt_u32_e32 vcc, 7, v0\ns_and_saveexec_b64 s[22:23], vcc\n" text
KERNEL(in_some_lanes, "v_mov_b32_e32 v1, v9\n" ROWS SOME(ENTRY "s_or_b64 exec, exec, s[22:23]\n")
                          OF_ROW LOAD("v8, s[16:19], 0 offen"))
KERNEL(in_all_lanes, ROWS SOME(ENTRY "s_or_b64 exec, exec, s[22:23]\n") OF_ROW LOAD("v8, s[16:19], 0 offen"))
