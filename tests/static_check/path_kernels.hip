// Kernels whose paths and lanes decide: which branches go together, and which lanes a load and a later instruction have in
// common. Per claim one whose wait is needed and its twin. They are never run.
#include "gfx950/kernel.hpp"

#define KERNEL(name, text)                                                                                   \
  extern "C" __global__ __attribute__((amdgpu_flat_work_group_size(64, 128))) void name() {                  \
    asm volatile(text ::: "memory", "vcc", "scc", "s16", "v63");                                             \
  }

#define LOAD_V4 "global_load_dword v4, v[2:3], off\n"
#define USE_V4 "v_add_u32_e32 v9, v4, v4\n"
#define WAIT "s_waitcnt vmcnt(0)\n"

// What clang makes of if and else: the wait is before a write of the other lanes.
#define IF_ELSE(other)                                                                                       \
  "v_cmp_gt_u32_e32 vcc, s6, v1\ns_and_saveexec_b64 s[8:9], vcc\ns_xor_b64 s[8:9], exec, s[8:9]\n" LOAD_V4   \
      other WAIT "v_mov_b32_e32 v4, 0\ns_or_b64 exec, exec, s[8:9]\n" WAIT USE_V4
KERNEL(other_lanes, IF_ELSE("s_andn2_saveexec_b64 s[8:9], s[8:9]\n"))
KERNEL(lanes_in_common, IF_ELSE("s_or_saveexec_b64 s[8:9], s[8:9]\n"))
KERNEL(other_lanes_compared_again,
       IF_ELSE("v_cmp_le_u32_e32 vcc, s6, v1\ns_and_saveexec_b64 s[8:9], vcc\n")) // v1, s6: not followed
// Reading across lanes reaches all of them.
KERNEL(across_lanes, "v_cmp_gt_u32_e32 vcc, s6, v1\ns_and_saveexec_b64 s[8:9], vcc\n"
                     "s_xor_b64 s[8:9], exec, s[8:9]\n" LOAD_V4 "s_andn2_saveexec_b64 s[8:9], s[8:9]\n" WAIT
                     "v_readlane_b32 s12, v4, 3\n")

// The second wait is reached only where the first one was.
#define TWO_BRANCHES(between, second)                                                                        \
  LOAD_V4 "s_cmp_lg_u32 s6, 0\ns_cbranch_scc1 1f\n" WAIT "1:\n" between second WAIT USE_V4 "2:\n" WAIT
KERNEL(same_comparison, TWO_BRANCHES("", "s_cbranch_scc1 2f\n"))
KERNEL(contrary_comparison, TWO_BRANCHES("", "s_cmp_eq_u32 s6, 0\ns_cbranch_scc0 2f\n"))
KERNEL(other_comparison, TWO_BRANCHES("", "s_cmp_eq_u32 s6, 1\ns_cbranch_scc0 2f\n"))
KERNEL(changed_comparison, TWO_BRANCHES("s_add_u32 s6, s6, 1\n", "s_cmp_eq_u32 s6, 0\ns_cbranch_scc0 2f\n"))
KERNEL(signed_constant, LOAD_V4 "s_cmpk_lg_i32 s6, 0xffff\ns_cbranch_scc1 1f\n" WAIT
                                "1:\ns_cmpk_lg_u32 s6, 0xffff\ns_cbranch_scc1 2f\n" WAIT USE_V4 "2:\n" WAIT)
KERNEL(mask_with_lanes,
       LOAD_V4 "s_and_b64 vcc, exec, s[6:7]\ns_cbranch_vccz 1f\n" WAIT
               "1:\ns_and_saveexec_b64 s[8:9], s[6:7]\ns_cbranch_execz 2f\n" WAIT USE_V4 "2:\n")
KERNEL(other_mask_with_lanes,
       LOAD_V4 "s_and_b64 vcc, exec, s[6:7]\ns_cbranch_vccz 1f\n" WAIT
               "1:\ns_andn1_saveexec_b64 s[8:9], s[6:7]\ns_cbranch_execz 2f\n" WAIT USE_V4 "2:\n")

// Some lanes of every wave execute the first wait, or some lanes of the first wave only.
#define FIRST_LANES(number)                                                                                  \
  "v_and_b32_e32 v1, 63, v0\nv_cmp_gt_u32_e32 vcc, 8, " number "\n" LOAD_V4                                  \
  "s_and_saveexec_b64 s[8:9], vcc\ns_cbranch_execz 1f\n" WAIT                                                \
  "1:\ns_or_b64 exec, exec, s[8:9]\n" WAIT USE_V4
KERNEL(first_lanes, FIRST_LANES("v1"))
KERNEL(first_work_items, FIRST_LANES("v0"))

// Around a loop without end: too many paths to walk.
KERNEL(endless_paths, LOAD_V4 "1:\ns_cbranch_scc1 2f\ns_add_u32 s6, s6, 1\n2:\ns_add_u32 s7, s7, 1\n"
                              "s_cbranch_scc0 1b\n" WAIT USE_V4)
