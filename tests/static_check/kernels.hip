// Kernels for the check without running: per claim a faulty one and its clean twin. They are assembly, so that the code is
// what is written, and are never run.
#include "gfx950/kernel.hpp"

#define KERNEL(name, text)                                                                                   \
  extern "C" __global__ void name() { asm volatile(text ::: "memory", "scc", "s31", "v63"); }

#define LOAD_V4 "global_load_dword v4, v[0:1], off\n"
#define LOAD_V5 "global_load_dword v5, v[0:1], off\n"
#define USE_V4 "v_add_u32_e32 v9, v4, v4\n"
#define USE_V5 "v_add_u32_e32 v9, v5, v5\n"

KERNEL(straight_faulty, LOAD_V4 USE_V4)
KERNEL(straight_clean, LOAD_V4 "s_waitcnt vmcnt(0)\n" USE_V4)

KERNEL(overwritten_faulty, LOAD_V4 "v_mov_b32_e32 v4, 0\n")
KERNEL(overwritten_clean, LOAD_V4 LOAD_V4 "s_waitcnt vmcnt(0)\n") // loads of one queue write in order

// Two paths with different counts meet: of one v4 is the youngest.
#define MERGE(other, wait)                                                                                   \
  "s_cbranch_scc1 1f\n" LOAD_V4 LOAD_V5 "s_branch 2f\n1:\n" LOAD_V4 other "2:\ns_waitcnt " wait "\n" USE_V4
KERNEL(merge_faulty, MERGE("", "vmcnt(1)"))
KERNEL(merge_clean, MERGE(LOAD_V5, "vmcnt(1)"))

// The wait is on one way only.
KERNEL(arm_faulty, LOAD_V4 "s_cbranch_scc1 1f\ns_waitcnt vmcnt(0)\n1:\n" USE_V4)
KERNEL(arm_clean,
       LOAD_V4 "s_cbranch_scc1 1f\ns_waitcnt vmcnt(0)\ns_branch 2f\n1:\ns_waitcnt vmcnt(0)\n2:\n" USE_V4)

// Double buffering with counted waits.
#define TWO_BUFFERS(second)                                                                                  \
  LOAD_V4 "1:\n" LOAD_V5 "s_waitcnt vmcnt(1)\n" USE_V4 LOAD_V4 "s_waitcnt " second "\n" USE_V5               \
          "s_cbranch_scc1 1b\n"
KERNEL(two_buffers_faulty, TWO_BUFFERS("vmcnt(2)"))
KERNEL(two_buffers_clean, TWO_BUFFERS("vmcnt(1)"))

// Only the first iteration is wrong: nothing was loaded ahead.
#define AHEAD(before) before "1:\ns_waitcnt vmcnt(1)\n" USE_V4 LOAD_V4 LOAD_V5 "s_cbranch_scc1 1b\n"
KERNEL(first_iteration_faulty, AHEAD(LOAD_V4))
KERNEL(first_iteration_clean, AHEAD(LOAD_V4 LOAD_V5))

// Only from the second iteration on.
#define LATER(end) "1:\n" USE_V4 LOAD_V4 end "s_cbranch_scc1 1b\n"
KERNEL(second_iteration_faulty, LATER(""))
KERNEL(second_iteration_clean, LATER("s_waitcnt vmcnt(0)\n"))

// Stores and loads share vmcnt.
#define STORE_V6 "global_store_dword v[0:1], v6, off\n"
KERNEL(store_faulty, STORE_V6 LOAD_V4 "s_waitcnt vmcnt(1)\n" USE_V4)
KERNEL(store_clean, LOAD_V4 STORE_V6 "s_waitcnt vmcnt(1)\n" USE_V4)

// Which registers an instruction uses while M0 moves them is open, and so is what vskip skips.
#define INDEXED(on, off) on LOAD_V4 "v_mov_b32_e32 v9, v1\n" off "s_waitcnt vmcnt(0)\n"
KERNEL(vgpr_index_unknown, INDEXED("s_set_gpr_idx_on s3, gpr_idx(SRC0)\n", "s_set_gpr_idx_off\n"))
KERNEL(vgpr_index_clean, INDEXED("s_set_gpr_idx_on s3, gpr_idx(SRC0)\ns_set_gpr_idx_off\n", ""))
KERNEL(vskip_clean, INDEXED("s_setvskip 0, 0\n", ""))
KERNEL(vgpr_index_faulty, INDEXED("", "") "s_setreg_b32 hwreg(HW_REG_MODE, 4, 4), s3\n" LOAD_V4 USE_V4)

// SMEM returns out of order; LDS among it does not.
#define TWO_SCALARS "s_load_dword s8, s[0:1], 0x0\ns_load_dword s9, s[0:1], 0x4\n"
KERNEL(scalar_faulty, TWO_SCALARS "s_waitcnt lgkmcnt(1)\ns_add_u32 s10, s8, s8\n")
KERNEL(scalar_clean, TWO_SCALARS "s_waitcnt lgkmcnt(0)\ns_add_u32 s10, s8, s8\n")
KERNEL(lds_faulty, "ds_read_b32 v5, v9\nds_read_b32 v4, v9\ns_waitcnt lgkmcnt(1)\n" USE_V4)
KERNEL(lds_clean,
       "ds_read_b32 v4, v9\nds_read_b32 v5, v9\ns_load_dword s8, s[0:1], 0x0\ns_waitcnt lgkmcnt(1)\n" USE_V4
       "s_waitcnt lgkmcnt(0)\n")

// FLAT owes both counters.
KERNEL(flat_faulty, "flat_load_dword v4, v[0:1]\ns_waitcnt vmcnt(0)\n" USE_V4)
KERNEL(flat_clean, "flat_load_dword v4, v[0:1]\ns_waitcnt vmcnt(0) lgkmcnt(0)\n" USE_V4)

// The 64th load cannot issue before the first has returned.
KERNEL(full_counter_faulty, LOAD_V4 ".rept 62\n" LOAD_V5 ".endr\n" USE_V4)
KERNEL(full_counter_clean, LOAD_V4 ".rept 63\n" LOAD_V5 ".endr\n" USE_V4)

#define MFMA "v_mfma_f32_16x16x16_f16 v[20:23], v[24:25], v[26:27], 0\n"
#define USE_MFMA "v_add_f32_e32 v9, v20, v20\n"

// Wait states over a back edge, on one way only, and behind another's write.
KERNEL(back_edge_faulty, "1:\n" USE_MFMA MFMA "s_cbranch_scc1 1b\n")
KERNEL(back_edge_clean, "1:\n" USE_MFMA MFMA "s_nop 6\ns_cbranch_scc1 1b\n")
KERNEL(nop_arm_faulty, MFMA "s_cbranch_scc1 1f\ns_nop 7\n1:\n" USE_MFMA)
KERNEL(nop_arm_clean, MFMA "s_cbranch_scc1 1f\ns_nop 7\n1:\ns_nop 6\n" USE_MFMA)
KERNEL(partly_written_faulty,
       MFMA "global_load_dword v20, v[0:1], off\ns_waitcnt vmcnt(0)\nv_add_f32_e32 v9, v21, v21\n")
KERNEL(partly_written_clean, MFMA "global_load_dword v20, v[0:1], off\ns_waitcnt vmcnt(0)\n" USE_MFMA)

// What the code alone does not say.
#define DMA "s_mov_b32 m0, 0\ns_nop 0\nglobal_load_lds_dword v[0:1], off\n"
KERNEL(lds_dma_unknown, DMA "ds_read_b32 v5, v9\ns_waitcnt vmcnt(0) lgkmcnt(0)\n")
KERNEL(lds_dma_clean, DMA "s_waitcnt vmcnt(0)\nds_read_b32 v5, v9\ns_waitcnt lgkmcnt(0)\n")
// Addresses that follow from M0 and the work-item's number: the bytes that DMA writes, or others.
#define DMA_THEN_READ(wait, offset)                                                                          \
  "s_movk_i32 s8, 0x80\ns_lshl_b32 s8, s8, 1\ns_mov_b32 m0, s8\ns_nop 0\n"                                   \
  "global_load_lds_dword v[2:3], off\nv_and_b32_e32 v9, 63, v0\nv_lshlrev_b32_e32 v9, 2, v9\n" wait          \
  "ds_read_b32 v5, v9 offset:" offset "\ns_waitcnt vmcnt(0) lgkmcnt(0)\n"
KERNEL(known_address_faulty, DMA_THEN_READ("", "256"))
KERNEL(known_address_clean, DMA_THEN_READ("s_waitcnt vmcnt(0)\n", "256"))
KERNEL(other_address_unknown, DMA_THEN_READ("", "512"))
// A branch on EXEC, which clang takes for one without a condition: behind it is what waves without lanes would read.
#define DMA_THEN_BRANCH(branch)                                                                              \
  "s_movk_i32 m0, 0x100\nv_and_b32_e32 v9, 63, v0\nv_lshlrev_b32_e32 v9, 2, v9\ns_cbranch_scc1 1f\n"         \
  "global_load_lds_dword v[2:3], off\n" branch " 2f\n1:\nds_read_b32 v5, v9 offset:256\n2:\n"                \
  "s_waitcnt vmcnt(0) lgkmcnt(0)\n"
KERNEL(no_lanes_clean, DMA_THEN_BRANCH("s_cbranch_execnz"))
KERNEL(no_lanes_faulty, DMA_THEN_BRANCH("s_cbranch_execz"))
// Half of EXEC was written: the wave may have no lanes where the load had some.
#define LOAD_THEN_HALF(half)                                                                                 \
  "s_and_b64 exec, exec, s[6:7]\n" LOAD_V4 half "s_cbranch_execz 1f\ns_waitcnt vmcnt(0)\n"                   \
  "1:\ns_mov_b64 exec, -1\n" USE_V4 "s_waitcnt vmcnt(0)\n"
KERNEL(half_of_exec_clean, LOAD_THEN_HALF(""))
KERNEL(half_of_exec_faulty, LOAD_THEN_HALF("s_mov_b32 exec_hi, 0\n"))
// The wait and the use on the same outcome of a comparison, or on contrary ones.
#define WAIT_THEN_USE(branch)                                                                                \
  LOAD_V4 "s_cmp_eq_u32 s6, 0\ns_cbranch_scc1 1f\ns_waitcnt vmcnt(0)\n1:\ns_cmp_eq_u32 s6, 0\n" branch       \
          " 2f\n" USE_V4 "2:\ns_waitcnt vmcnt(0)\n"
KERNEL(same_outcome_clean, WAIT_THEN_USE("s_cbranch_scc1"))
KERNEL(same_outcome_faulty, WAIT_THEN_USE("s_cbranch_scc0"))
// A use of v4 behind a comparison that skips the wait, and the same comparison after a change of what is compared.
#define CHANGE_BETWEEN(source, change)                                                                       \
  LOAD_V4 "s_cmp_eq_u32 " source ", 0\ns_cbranch_scc1 1f\ns_waitcnt vmcnt(0)\n1:\n" change                   \
          "s_cmp_eq_u32 " source ", 0\ns_cbranch_scc1 2f\n" USE_V4 "2:\ns_waitcnt vmcnt(0)\n"
KERNEL(vccz_clean, CHANGE_BETWEEN("s6", "s_mov_b64 vcc, 0\ns_nop 4\n"))
KERNEL(vccz_faulty, CHANGE_BETWEEN("src_vccz", "s_mov_b64 vcc, 0\ns_nop 4\n"))
KERNEL(xnack_mask_clean, CHANGE_BETWEEN("xnack_mask_lo", "s_mov_b32 xnack_mask_hi, 1\n"))
KERNEL(xnack_mask_faulty, CHANGE_BETWEEN("xnack_mask_lo", "s_mov_b32 xnack_mask_lo, 1\n"))
KERNEL(moved_to_m0_clean, CHANGE_BETWEEN("m0", "s_mov_b32 s8, m0\n"))
KERNEL(moved_to_m0_faulty, CHANGE_BETWEEN("m0", "s_movrels_b32 m0, s8\n"))
// All lanes by s_movrels, or the other half of them.
#define OTHER_LANES(change)                                                                                  \
  "v_cmp_gt_u32_e32 vcc, s6, v1\ns_and_saveexec_b64 s[8:9], vcc\n" LOAD_V4                                   \
  "s_xor_b64 exec, exec, s[8:9]\ns_mov_b32 m0, 0\ns_nop 4\n" change USE_V4 "s_waitcnt vmcnt(0)\n"
KERNEL(moved_to_exec_clean, OTHER_LANES(""))
KERNEL(moved_to_exec_faulty, OTHER_LANES("s_movrels_b64 exec, s[8:9]\n"))
// v10 is zero as a whole, or in a part alone.
#define ZERO_BEFORE_USE(write)                                                                               \
  "v_mov_b32_e32 v11, 0\nv_mov_b32_e32 v10, s6\ns_nop 1\n" write                                             \
  "s_nop 1\nv_cmp_ne_u32_e32 vcc, 0, v10\n" LOAD_V4 "s_cbranch_vccz 2f\n" USE_V4 "2:\ns_waitcnt vmcnt(0)\n"
KERNEL(written_in_part_clean, ZERO_BEFORE_USE("v_mov_b32_sdwa v10, v11 dst_sel:BYTE_0 dst_unused:UNUSED_PAD "
                                              "src0_sel:DWORD\n"))
KERNEL(written_in_part_faulty, ZERO_BEFORE_USE("v_mov_b32_sdwa v10, v11 dst_sel:BYTE_0 "
                                               "dst_unused:UNUSED_PRESERVE src0_sel:DWORD\n"))
KERNEL(written_above_clean, ZERO_BEFORE_USE("v_mov_b32_e32 v10, v11\n"))
KERNEL(written_above_faulty, ZERO_BEFORE_USE("v_mad_u16 v10, v11, v11, v11 op_sel:[0,0,0,1]\n"))
// Whole waves do not take the way to the use.
KERNEL(all_lanes_clean,
       "s_not_b64 vcc, exec\n" LOAD_V4 "s_nop 4\ns_cbranch_vccz 1f\n" USE_V4 "1:\ns_waitcnt vmcnt(0)\n")
KERNEL(all_lanes_faulty,
       "s_not_b64 vcc, exec\n" LOAD_V4 "s_nop 4\ns_cbranch_vccnz 1f\n" USE_V4 "1:\ns_waitcnt vmcnt(0)\n")
KERNEL(jump_unknown, "s_setpc_b64 s[30:31]\n")
KERNEL(jump_clean, "s_branch 1f\n" LOAD_V4 USE_V4 "1:\n") // the code between is on no path
KERNEL(call_unknown, "s_swappc_b64 s[30:31], s[4:5]\n")
KERNEL(call_clean, "s_nop 0\n")

// Superfluous: in a loop of three waits two, and of two s_nops half of one.
KERNEL(superfluous_loop, "1:\n" LOAD_V4 "s_waitcnt vmcnt(1)\n" LOAD_V5
                         "s_waitcnt vmcnt(1)\ns_waitcnt vmcnt(0)\n" USE_V4 USE_V5 MFMA
                         "s_nop 7\ns_nop 3\n" USE_MFMA "s_cbranch_scc1 1b\n")
// Needed, and not by registers: another wave reads what is written.
KERNEL(needed_by_barrier, "ds_write_b32 v9, v5\ns_waitcnt lgkmcnt(0)\ns_barrier\nds_read_b32 v5, v9\n")
KERNEL(needed_by_store, LOAD_V4 "s_waitcnt vmcnt(0)\n" STORE_V6 USE_V4)
KERNEL(needed_by_dma, DMA "s_waitcnt vmcnt(0)\nds_read_b32 v5, v9\n")
KERNEL(needed_once, MFMA "s_nop 7\ns_nop 7\n" USE_MFMA)
KERNEL(looser, LOAD_V4 LOAD_V5 "s_waitcnt vmcnt(0)\n" USE_V4)

// When a load happens whose register nobody reads does not matter, on no path; a store in between it may well matter to.
#define READ_THEN_STORE(use)                                                                                 \
  "ds_read_b32 v5, v9\ns_waitcnt lgkmcnt(0)\n" STORE_V6 "s_cbranch_scc1 1f\n" use "1:\ns_waitcnt "           \
  "lgkmcnt(0)\n"
KERNEL(read_by_nobody, READ_THEN_STORE(""))
KERNEL(needed_by_reader, READ_THEN_STORE("s_waitcnt lgkmcnt(0)\n" USE_V5))
// Loads of one queue return in order, into registers or into LDS; those of two do not.
KERNEL(in_order_before_dma, LOAD_V4 "s_waitcnt vmcnt(0)\n" DMA "s_waitcnt vmcnt(0)\n" USE_V4)
KERNEL(needed_before_dma,
       "ds_read_b32 v5, v9\ns_waitcnt lgkmcnt(0)\n" DMA
       "s_load_dword s8, s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_add_u32 s10, s8, s8\n" USE_V5)

// An LDS read before a load matters if it may be a flag that says that the data is there.
#define READ_THEN_LOAD(wait)                                                                                 \
  "ds_read_b32 v5, v9\ns_waitcnt lgkmcnt(0)\n" LOAD_V4 "s_waitcnt " wait "\n" USE_V4 USE_V5
KERNEL(no_flag, READ_THEN_LOAD("vmcnt(0) lgkmcnt(0)"))
KERNEL(needed_by_flag, STORE_V6 "s_waitcnt vmcnt(0)\ns_barrier\n" READ_THEN_LOAD("vmcnt(0)"))

// A function's own code is judged too; its jump through a register is its return.
extern "C" __attribute__((noinline, used)) __device__ void function_faulty() {
  asm volatile("global_load_dword v4, v[0:1], off\n"
               "v_add_u32_e32 v9, v4, v4\n" ::
                   : "memory", "v4", "v9");
}
extern "C" __global__ void calls_function() { function_faulty(); }
