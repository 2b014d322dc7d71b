// Faulty kernels and their clean twins, as twin_kernels.hip: where M0 moves the registers of VALU instructions, or vskip skips
// vector ones. The line that a report must name ends in HERE.
#include "gfx950/kernel.hpp"

namespace {
using namespace fmha950::gfx950;

FMHA950_INLINE uint32_t global_id() { return workgroup_id_x() * 128 + thread_id(); }
} // namespace

extern "C" {
// A register in flight is read by an index: v10 and 2.
#define INDEXED_REGISTER(wait)                                                                               \
  uint32_t value;                                                                                            \
  const uint32_t* from = out + global_id();                                                                  \
  asm volatile("global_load_dword v12, %1, off\n" wait "s_set_gpr_idx_on %2, gpr_idx(SRC0)\n"                \
               "v_mov_b32 %0, v10\n"                                                                         \
               "s_set_gpr_idx_off\n"                                                                         \
               "s_waitcnt vmcnt(0)"                                                                          \
               : "=v"(value)                                                                                 \
               : "v"(from), "s"(2)                                                                           \
               : "memory", "v10", "v11", "v12");                                                             \
  out[global_id()] = value
__global__ void indexed_register_bad(uint32_t* out) {
  INDEXED_REGISTER(""); // HERE indexed_register
}
__global__ void indexed_register_good(uint32_t* out) { INDEXED_REGISTER("s_waitcnt vmcnt(0)\n"); }

// The register that the encoding names may be in flight if it is not the one that is read.
#define NAMED_REGISTER(on, off)                                                                              \
  uint32_t value;                                                                                            \
  const uint32_t* from = out + global_id();                                                                  \
  asm volatile("v_mov_b32 v12, 1\n"                                                                          \
               "global_load_dword v10, %1, off\n" on "v_mov_b32 %0, v10\n" off "s_waitcnt vmcnt(0)"          \
               : "=v"(value)                                                                                 \
               : "v"(from)                                                                                   \
               : "memory", "v10", "v11", "v12");                                                             \
  out[global_id()] = value
__global__ void named_register_bad(uint32_t* out) {
  NAMED_REGISTER("", ""); // HERE named_register
}
__global__ void named_register_good(uint32_t* out) {
  NAMED_REGISTER("s_set_gpr_idx_on 2, gpr_idx(SRC0)\n", "s_set_gpr_idx_off\n");
}

// An MFMA reads what was written by an index just before.
#define INDEXED_STATES(nops)                                                                                 \
  asm volatile("v_mov_b32 v10, 0\n"                                                                          \
               "v_mov_b32 v11, 0\n"                                                                          \
               "v_mov_b32 v12, 0\n"                                                                          \
               "v_mov_b32 v13, 0\n"                                                                          \
               "s_set_gpr_idx_on 2, gpr_idx(DST)\n"                                                          \
               "s_nop 4\n"                                                                                   \
               "v_mov_b32 v10, 0\n"                                                                          \
               "s_set_gpr_idx_off\n" nops "v_mfma_f32_16x16x16_f16 v[16:19], v[12:13], v[12:13], 0\n"        \
               "s_nop 15" ::                                                                                 \
                   : "v10", "v11", "v12", "v13", "v16", "v17", "v18", "v19")
__global__ void indexed_states_bad(uint32_t*) {
  INDEXED_STATES(""); // HERE indexed_states
}
__global__ void indexed_states_good(uint32_t*) { INDEXED_STATES("s_nop 0\n"); }

// The index is one that nobody set.
#define VGPR_INDEX(index)                                                                                    \
  uint32_t value;                                                                                            \
  asm volatile("v_mov_b32 v10, 1\n"                                                                          \
               "s_set_gpr_idx_on " index ", gpr_idx(SRC0)\n"                                                 \
               "v_mov_b32 %0, v10\n"                                                                         \
               "s_set_gpr_idx_off"                                                                           \
               : "=v"(value)                                                                                 \
               :                                                                                             \
               : "v10", "s77");                                                                              \
  if (global_id() == 0) out[0] = value
__global__ void unset_vgpr_index_bad(uint32_t* out) {
  VGPR_INDEX("s77"); // HERE unset_vgpr_index
}
__global__ void unset_vgpr_index_good(uint32_t* out) { VGPR_INDEX("0"); }

// A load that vskip skips is not in flight.
#define SKIPPED_LOAD(skips)                                                                                  \
  uint32_t value;                                                                                            \
  const uint32_t* from = out + global_id();                                                                  \
  asm volatile("v_mov_b32 v12, 1\n"                                                                          \
               "s_setvskip " skips ", 0\n"                                                                   \
               "global_load_dword v12, %1, off\n"                                                            \
               "s_setvskip 0, 0\n"                                                                           \
               "v_mov_b32 %0, v12\n"                                                                         \
               "s_waitcnt vmcnt(0)"                                                                          \
               : "=v"(value)                                                                                 \
               : "v"(from)                                                                                   \
               : "memory", "v12");                                                                           \
  out[global_id()] = value
__global__ void skipped_load_bad(uint32_t* out) {
  SKIPPED_LOAD("0"); // HERE skipped_load
}
__global__ void skipped_load_good(uint32_t* out) { SKIPPED_LOAD("1"); }
}
