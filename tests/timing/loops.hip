// Loops whose instructions are counted by hand: written in assembly, so that the compiler adds none of its
// own. They are never run.
#include "gfx950/kernel.hpp"

#define LOOP_KERNEL(NAME, TEXT)                                                                              \
  extern "C" __global__ void NAME() { asm volatile(TEXT ::: "memory", "scc", "s20", "s31", "v47", "a15"); }

// clang-format off: one instruction a line
LOOP_KERNEL(every_kind, R"(
head%=:
  .rept 3
  v_mfma_f32_32x32x16_bf16 a[0:15], v[0:3], v[4:7], a[0:15]
  .endr
  .rept 2
  v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], v[0:15]
  .endr
  v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:27], v[0:15] blgp:4
  .rept 5
  v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:19], v[24:29], v[0:15] cbsz:4 blgp:2
  .endr
  .rept 4
  v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[16:21], v[24:29], v[0:3], v40, v41 cbsz:3 blgp:3
  .endr
  v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[16:21], v[24:31], v[0:3], v40, v41 cbsz:2 blgp:1
  .rept 7
  v_add_f32 v32, v33, v34
  .endr
  v_mul_lo_u32 v32, v33, v34
  v_accvgpr_read_b32 v32, a0
  .rept 5
  v_pk_mul_f32 v[32:33], v[34:35], v[36:37]
  .endr
  .rept 3
  v_exp_f32 v32, v33
  .endr
  .rept 2
  v_rcp_f64 v[32:33], v[34:35]
  .endr
  .rept 4
  v_cvt_pk_bf16_f32 v32, v33, v34
  .endr
  .rept 6
  ds_read_b128 v[0:3], v40
  .endr
  ds_read2_b32 v[0:1], v40 offset1:1
  .rept 2
  ds_read_b64_tr_b16 v[0:1], v40
  .endr
  .rept 3
  ds_write_b64 v40, v[0:1]
  .endr
  ds_bpermute_b32 v0, v1, v2
  ds_add_u32 v40, v1
  .rept 2
  global_load_dwordx4 v[0:3], v[40:41], off
  .endr
  global_load_ushort v0, v[40:41], off
  .rept 4
  buffer_load_dwordx4 v40, s[24:27], 0 offen lds
  .endr
  global_store_dwordx2 v[40:41], v[0:1], off
  global_atomic_add_f32 v[40:41], v0, off
  s_load_dwordx8 s[24:31], s[20:21], 0x0
  s_waitcnt vmcnt(3)
  s_waitcnt lgkmcnt(0)
  s_waitcnt vmcnt(1) lgkmcnt(2)
  s_waitcnt lgkmcnt(0)
  s_barrier
  s_barrier
  s_nop 3
  s_nop 3
  s_nop 0
  s_setprio 1
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 head%=
)")

LOOP_KERNEL(nested, R"(
outer%=:
  v_add_f32 v32, v33, v34
  v_add_f32 v32, v33, v34
  s_mov_b32 s21, 4
inner%=:
  .rept 3
  v_mul_f32 v32, v33, v34
  .endr
  s_barrier
  s_sub_u32 s21, s21, 1
  s_cmp_lg_u32 s21, 0
  s_cbranch_scc1 inner%=
  v_exp_f32 v32, v33
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 outer%=
)")

LOOP_KERNEL(two_loops, R"(
first%=:
  v_mfma_f32_16x16x32_f16 a[0:3], v[0:3], v[4:7], a[0:3]
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 first%=
  v_add_f32 v32, v33, v34
second%=:
  v_mfma_f32_32x32x2_f32 a[0:15], v0, v1, a[0:15]
  v_mfma_f32_32x32x2_f32 a[0:15], v0, v1, a[0:15]
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 second%=
)")

LOOP_KERNEL(branching, R"(
head%=:
  v_add_f32 v32, v33, v34
  s_cmp_lg_u32 s21, 0
  s_cbranch_scc1 arm%=
  .rept 4
  v_mul_f32 v32, v33, v34
  .endr
  s_branch join%=
arm%=:
  .rept 2
  v_exp_f32 v32, v33
  .endr
join%=:
  v_add_f32 v32, v33, v34
  s_sub_u32 s20, s20, 1
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 head%=
)")

// Two branches back to one head: one loop. What follows the first of them is not on every path.
LOOP_KERNEL(two_tails, R"(
head%=:
  v_add_f32 v32, v33, v34
  s_cmp_lg_u32 s21, 0
  s_cbranch_scc1 head%=
  v_mul_f32 v32, v33, v34
  s_cmp_lg_u32 s20, 0
  s_cbranch_scc1 head%=
)")

LOOP_KERNEL(two_entries, R"(
  s_cbranch_scc1 middle%=
head%=:
  v_add_f32 v32, v33, v34
middle%=:
  v_mul_f32 v32, v33, v34
  s_cbranch_scc0 head%=
)")

LOOP_KERNEL(straight, "v_add_f32 v32, v33, v34")
// clang-format on

// Compiled loops: lines that the compiler knows, a function with a loop of its own.
__device__ __attribute__((noinline)) float sum_of(const float* data, int count) {
  float sum = 0;
#line 500 "summing.hip"
  for (int i = 0; i < count; ++i) {
    sum += data[i * i];
  }
  return sum;
}

extern "C" __global__ void calling(float* data, int count) {
#line 1000 "calling.hip"
  for (int i = 0; i < count; ++i) {
    data[i] = sum_of(data + i, i);
  }
}
