// Kernels whose loops multiply as attention does, as a GEMM does, and otherwise. For matrix_products_test.cpp.
using bf16x8 = __bf16 __attribute__((ext_vector_type(8)));
using halfx8 = _Float16 __attribute__((ext_vector_type(8)));
using floatx16 = float __attribute__((ext_vector_type(16)));
using floatx4 = float __attribute__((ext_vector_type(4)));

#define KERNEL extern "C" __attribute__((global, amdgpu_flat_work_group_size(64, 64))) void
#define LANE __builtin_amdgcn_workitem_id_x()

// S begins anew in each round, and in two steps; O is rescaled by what S was, and goes on.
KERNEL like_attention(const bf16x8* k, const long* v, floatx16* out, int rounds) {
  floatx16 o = {};
  float highest = -1e30f;
  for (int i = 0; i < rounds; ++i) {
    floatx16 s = {};
    for (int half = 0; half < 2; ++half)
      s = __builtin_amdgcn_mfma_f32_32x32x16_bf16(k[i * 128 + 64 * half + LANE], k[LANE], s, 0, 0, 0);
    const float higher = __builtin_fmaxf(highest, s[0]), shrink = __builtin_amdgcn_exp2f(highest - higher);
    highest = higher;
    const int p = __builtin_amdgcn_cvt_pk_fp8_f32(s[0] - higher, s[1] - higher, 0, false);
    o *= shrink;
    o = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8((long)p, v[i * 64 + LANE], o, 0, 0, 0);
  }
  out[LANE] = o;
}

KERNEL like_gemm(const halfx8* a, const halfx8* b, floatx16* out, int rounds) {
  floatx16 sum = {};
  for (int i = 0; i < rounds; ++i)
    sum = __builtin_amdgcn_mfma_f32_32x32x16_f16(a[i * 64 + LANE], b[i * 64 + LANE], sum, 0, 0, 0);
  out[LANE] = sum;
}

// Each round adds to what the other one has added to.
KERNEL exchanged(const bf16x8* a, const long* b, floatx4* out, int rounds) {
  floatx4 one = {}, other = {};
  for (int i = 0; i < rounds; ++i) {
    const floatx4 next = __builtin_amdgcn_mfma_f32_16x16x32_bf16(a[i * 64 + LANE], a[LANE], other, 0, 0, 0);
    other = __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(b[i * 64 + LANE], b[LANE], one, 0, 0, 0);
    one = next;
  }
  out[LANE] = one + other;
}

// Each product is stored: none adds to another.
KERNEL all_anew(const bf16x8* a, floatx16* out, int rounds) {
  for (int i = 0; i < rounds; ++i)
    out[i * 64 + LANE] =
        __builtin_amdgcn_mfma_f32_32x32x16_bf16(a[i * 64 + LANE], a[LANE], floatx16{}, 0, 0, 0);
}

KERNEL without_a_loop(const halfx8* a, floatx16* out) {
  floatx16 sum = __builtin_amdgcn_mfma_f32_32x32x16_f16(a[LANE], a[64 + LANE], floatx16{}, 0, 0, 0);
  out[LANE] = __builtin_amdgcn_mfma_f32_32x32x16_f16(a[128 + LANE], a[64 + LANE], sum, 0, 0, 0);
}

KERNEL without_matrices(float* out) { out[LANE] *= 2; }
