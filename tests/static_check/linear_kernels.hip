// Kernels whose comparisons of numbers decide which paths are none: a load in the lanes whose rows are behind an end, and a
// wait on the way of tiles that end well before it. Per claim one whose wait is not needed and twins where it is. They are
// never run.
#include "gfx950/kernel.hpp"

#define KERNEL(name, text)                                                                                   \
  extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 128))) void name() {                  \
    asm volatile("s_load_dwordx2 s[8:9], s[6:7], 0x0\ns_waitcnt lgkmcnt(0)\n" text ::                        \
                     : "memory", "vcc", "scc", "s31", "v63");                                                \
  }
// s8 is a tile of 64 rows, s9 the end. v5 is a lane's row of the next tile.
#define ROWS(mask) "v_and_b32_e32 v1, " mask ", v0\ns_add_i32 s10, s8, 1\nv_lshl_add_u32 v5, s10, 6, v1\n"
#define LOAD_BEHIND(compare)                                                                                 \
  compare " vcc, s9, v5\ns_and_saveexec_b64 s[20:21], vcc\nglobal_load_dword v4, v[2:3], off\n"              \
          "s_or_b64 exec, exec, s[20:21]\n"
// s12 is at most the number of whole tiles before the end, less some.
#define WHOLE_TILES(less, least)                                                                             \
  "s_ashr_i32 s11, s9, 31\ns_lshr_b32 s11, s11, 26\ns_add_i32 s11, s9, s11\ns_ashr_i32 s11, s11, 6\n"        \
  "s_add_i32 s11, s11, " less "\n" least " s12, s11, s13\n"
#define WAIT_AND_USE "s_waitcnt vmcnt(0)\nv_add_u32_e32 v9, v4, v4\n"
#define IF_BEFORE(compare)                                                                                   \
  compare " s8, s12\ns_cbranch_scc1 1f\n" WAIT_AND_USE "s_branch 2f\n1:\n" WAIT_AND_USE "2:\n"

#define SIGNED "v_cmp_le_i32_e32"
#define TWO_TILES WHOLE_TILES("-2", "s_min_i32")
KERNEL(well_before, ROWS("63") LOAD_BEHIND(SIGNED) TWO_TILES IF_BEFORE("s_cmp_ge_i32"))
KERNEL(well_before_contrary, ROWS("63") LOAD_BEHIND(SIGNED) TWO_TILES IF_BEFORE("s_cmp_lt_i32"))
KERNEL(one_tile_before,
       ROWS("63") LOAD_BEHIND(SIGNED) WHOLE_TILES("-1", "s_min_i32") IF_BEFORE("s_cmp_ge_i32"))
KERNEL(two_tiles_of_rows, ROWS("0x7f") LOAD_BEHIND(SIGNED) TWO_TILES IF_BEFORE("s_cmp_ge_i32"))
KERNEL(larger_of_two, ROWS("63") LOAD_BEHIND(SIGNED) WHOLE_TILES("-2", "s_max_i32") IF_BEFORE("s_cmp_ge_i32"))
KERNEL(unsigned_rows, ROWS("63") LOAD_BEHIND("v_cmp_le_u32_e32") TWO_TILES IF_BEFORE("s_cmp_ge_i32"))
KERNEL(unsigned_tiles, ROWS("63") LOAD_BEHIND(SIGNED) TWO_TILES IF_BEFORE("s_cmp_ge_u32"))
KERNEL(lanes_before, ROWS("63") LOAD_BEHIND("v_cmp_gt_i32_e32") TWO_TILES IF_BEFORE("s_cmp_ge_i32"))
KERNEL(next_tile, ROWS("63") LOAD_BEHIND(SIGNED) TWO_TILES "s_add_i32 s8, s8, 1\n" IF_BEFORE("s_cmp_ge_i32"))
KERNEL(last_tile, ROWS("63") LOAD_BEHIND(SIGNED) TWO_TILES "s_add_i32 s8, s8, -1\n" IF_BEFORE("s_cmp_ge_i32"))
KERNEL(other_tile, ROWS("63") LOAD_BEHIND(SIGNED) TWO_TILES
       "s_load_dword s8, s[6:7], 0x8\ns_waitcnt lgkmcnt(0)\n" IF_BEFORE("s_cmp_ge_i32"))
KERNEL(other_end,
       ROWS("63") LOAD_BEHIND(
           SIGNED) "s_load_dword s9, s[6:7], 0x8\ns_waitcnt lgkmcnt(0)\n" TWO_TILES IF_BEFORE("s_cmp_ge_i32"))

// Rows that are only made in some lanes.
#define SOME "v_cmp_lt_u32_e32 vcc, 7, v0\ns_and_saveexec_b64 s[22:23], vcc\n"
#define ALL_AGAIN "s_or_b64 exec, exec, s[22:23]\n"
KERNEL(all_lanes_again, SOME ALL_AGAIN ROWS("63") LOAD_BEHIND(SIGNED) TWO_TILES IF_BEFORE("s_cmp_ge_i32"))
KERNEL(some_lanes, SOME ROWS("63") ALL_AGAIN LOAD_BEHIND(SIGNED) TWO_TILES IF_BEFORE("s_cmp_ge_i32"))

// Around a loop the number that is loaded is another one each time: what the load's lanes say is of the one before.
KERNEL(loaded_in_a_loop,
       "3:\n" ROWS("63")
           LOAD_BEHIND(SIGNED) "s_load_dwordx2 s[8:9], s[6:7], 0x10\ns_waitcnt lgkmcnt(0)\n" TWO_TILES
               IF_BEFORE("s_cmp_ge_i32") "s_cmp_eq_u32 s14, 0\ns_cbranch_scc1 3b\n")
