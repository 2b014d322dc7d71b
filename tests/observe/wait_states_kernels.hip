// Kernels whose clang output needs wait states: the compiler's own s_nops are the test's second source.

#define KERNEL extern "C" __attribute__((global)) void
#define ID __builtin_amdgcn_workitem_id_x()

typedef float f2 __attribute__((ext_vector_type(2)));
typedef float f4 __attribute__((ext_vector_type(4)));
typedef float f16v __attribute__((ext_vector_type(16)));
typedef float f32v __attribute__((ext_vector_type(32)));
typedef double d4 __attribute__((ext_vector_type(4)));
typedef int i2 __attribute__((ext_vector_type(2)));
typedef int i4 __attribute__((ext_vector_type(4)));
typedef int i8v __attribute__((ext_vector_type(8)));
typedef int i16v __attribute__((ext_vector_type(16)));
typedef short s4 __attribute__((ext_vector_type(4)));
typedef _Float16 h2 __attribute__((ext_vector_type(2)));
typedef _Float16 h4 __attribute__((ext_vector_type(4)));
typedef _Float16 h8 __attribute__((ext_vector_type(8)));
typedef __bf16 b8 __attribute__((ext_vector_type(8)));

// D = mfma(a, b, c) stored at once;
// D accumulated, its first element used by the VALU and as an operand again.
#define MATRIX(name, D, A, OP)                                                                               \
  KERNEL matrix_##name(const A* a, const A* b, D* c) {                                                       \
    const int i = ID;                                                                                        \
    A x = a[i], y = b[i];                                                                                    \
    D d = c[i];                                                                                              \
    d = OP(x, y, d);                                                                                         \
    c[i] = d;                                                                                                \
  }                                                                                                          \
  KERNEL chain_##name(const A* a, const A* b, D* c) {                                                        \
    const int i = ID;                                                                                        \
    A x = a[i], y = b[i];                                                                                    \
    D d = {};                                                                                                \
    for (int j = 0; j < 3; ++j) d = OP(x, y, d);                                                             \
    D e = OP(y, x, d);                                                                                       \
    d += e * e;                                                                                              \
    e = OP(x, x, d);                                                                                         \
    x = *reinterpret_cast<A*>(&e);                                                                           \
    e = OP(x, y, c[i]);                                                                                      \
    c[i + 64] = d;                                                                                           \
    c[i] = e;                                                                                                \
  }

#define PLAIN(builtin) [](auto a, auto b, auto c) { return builtin(a, b, c, 0, 0, 0); }
#define F8F6F4(builtin, fa, fb)                                                                              \
  [](auto a, auto b, auto c) { return builtin(a, b, c, fa, fb, 0, 0x7f, 0, 0x7f); }

MATRIX(f32_4x4, f4, float, PLAIN(__builtin_amdgcn_mfma_f32_4x4x1f32))
MATRIX(f32_16x16_4b, f16v, float, PLAIN(__builtin_amdgcn_mfma_f32_16x16x1f32))
MATRIX(f32_16x16, f4, float, PLAIN(__builtin_amdgcn_mfma_f32_16x16x4f32))
MATRIX(f32_32x32, f16v, float, PLAIN(__builtin_amdgcn_mfma_f32_32x32x2f32))
MATRIX(f32_32x32_2b, f32v, float, PLAIN(__builtin_amdgcn_mfma_f32_32x32x1f32))
MATRIX(f16_4x4, f4, h4, PLAIN(__builtin_amdgcn_mfma_f32_4x4x4f16))
MATRIX(f16_16x16_4b, f16v, h4, PLAIN(__builtin_amdgcn_mfma_f32_16x16x4f16))
MATRIX(f16_16x16, f4, h4, PLAIN(__builtin_amdgcn_mfma_f32_16x16x16f16))
MATRIX(f16_32x32, f16v, h4, PLAIN(__builtin_amdgcn_mfma_f32_32x32x8f16))
MATRIX(f16_32x32_2b, f32v, h4, PLAIN(__builtin_amdgcn_mfma_f32_32x32x4f16))
MATRIX(f16_16x16x32, f4, h8, PLAIN(__builtin_amdgcn_mfma_f32_16x16x32_f16))
MATRIX(bf16_32x32x16, f16v, b8, PLAIN(__builtin_amdgcn_mfma_f32_32x32x16_bf16))
MATRIX(bf16_16x16, f4, s4, PLAIN(__builtin_amdgcn_mfma_f32_16x16x16bf16_1k))
MATRIX(i8_4x4, i4, int, PLAIN(__builtin_amdgcn_mfma_i32_4x4x4i8))
MATRIX(i8_16x16x64, i4, i4, PLAIN(__builtin_amdgcn_mfma_i32_16x16x64_i8))
MATRIX(i8_32x32x32, i16v, i4, PLAIN(__builtin_amdgcn_mfma_i32_32x32x32_i8))
MATRIX(fp8_16x16, f4, long, PLAIN(__builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8))
MATRIX(fp8_32x32, f16v, long, PLAIN(__builtin_amdgcn_mfma_f32_32x32x16_fp8_bf8))
MATRIX(f64_16x16, d4, double, PLAIN(__builtin_amdgcn_mfma_f64_16x16x4f64))
MATRIX(f64_4x4, double, double, PLAIN(__builtin_amdgcn_mfma_f64_4x4x4f64))
MATRIX(f8_16x16, f4, i8v, F8F6F4(__builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4, 0, 0))
MATRIX(f8_32x32, f16v, i8v, F8F6F4(__builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4, 0, 4))
MATRIX(f4_16x16, f4, i8v, F8F6F4(__builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4, 4, 4))
MATRIX(f4_32x32, f16v, i8v, F8F6F4(__builtin_amdgcn_mfma_scale_f32_32x32x64_f8f6f4, 2, 4))

KERNEL sparse(const h4* a, const h8* b, f4* c, const int* index) {
  const int i = ID;
  f4 d = __builtin_amdgcn_smfmac_f32_16x16x32_f16(a[i], b[i], c[i], index[i] + 1, 0, 0);
  d = __builtin_amdgcn_smfmac_f32_16x16x32_f16(a[i], b[i], d, static_cast<int>(d[0]), 0, 0);
  c[i] = d * 2.0f;
}

// Results into the other matrix unit, and into themselves with an offset.
KERNEL mixed_matrices(const h4* a, const float* b, f4* c, f16v* c16, double* e) {
  const int i = ID;
  f16v d = __builtin_amdgcn_mfma_f32_32x32x8f16(a[i], a[i + 1], c16[i], 0, 0, 0);
  f4 part = {d[2], d[3], d[4], d[5]};
  part = __builtin_amdgcn_mfma_f32_16x16x16f16(a[i], a[i + 2], part, 0, 0, 0);
  part = __builtin_amdgcn_mfma_f32_16x16x4f32(b[i], b[i + 1], part, 0, 0, 0);
  part = __builtin_amdgcn_mfma_f32_16x16x16f16(a[i + 3], a[i + 2], part, 0, 0, 0);
  c[i] = part;
  double f = __builtin_amdgcn_mfma_f64_4x4x4f64(e[i], e[i + 1], e[i + 2], 0, 0, 0);
  e[i] = __builtin_fma(e[i + 3], e[i + 4], e[i + 5]);
  e[i + 64] = f;
}

KERNEL lanes(int* p, float* q) {
  const int i = ID;
  int v = p[i] * 3;
  const int first = __builtin_amdgcn_readfirstlane(v);
  v += __builtin_amdgcn_readlane(v, first & 63) * 5;
  v += __builtin_amdgcn_readlane(v, 7);
  v = __builtin_amdgcn_update_dpp(0, v + 1, 0x111, 0xf, 0xf, false) + v;
  v += __builtin_amdgcn_update_dpp(v, v ^ 5, 0x112, 0xf, 0xf, true);
  v += __builtin_amdgcn_mov_dpp(v, 0x143, 0xf, 0xf, true);
  auto swapped = __builtin_amdgcn_permlane32_swap(static_cast<unsigned>(v) + 1, static_cast<unsigned>(v) + 2,
                                                  false, false);
  v += static_cast<int>(swapped[0] ^ swapped[1]);
  auto again = __builtin_amdgcn_permlane16_swap(static_cast<unsigned>(v) + 1, static_cast<unsigned>(v) + 2,
                                                false, false);
  p[i] = v + static_cast<int>(again[0] ^ again[1]);
  q[first] = q[i + first];
}

KERNEL uniform_address(float* p, int* index) {
  const int i = ID;
  const int first = __builtin_amdgcn_readfirstlane(index[i]);
  p[i] = p[first + i] + static_cast<float>(first);
}

KERNEL transcendental(float* p, double* q, _Float16* h) {
  const int i = ID;
  p[i] = __builtin_amdgcn_exp2f(p[i] * 2.0f) + 1.0f;
  p[i + 64] = __builtin_amdgcn_logf(__builtin_amdgcn_rcpf(p[i + 64])) * 3.0f;
  q[i] = __builtin_amdgcn_rsq(q[i]) * q[i];
  h[i] = __builtin_amdgcn_sinh(h[i]) + __builtin_amdgcn_rcph(h[i]);
  p[i + 128] = __builtin_amdgcn_sqrtf(p[i + 128]) - 1.0f;
}

KERNEL division(float* p, double* q, float* r) {
  const int i = ID;
  p[i] = p[i] / r[i];
  q[i] = q[i] / q[i + 1];
}

KERNEL conversions(const float* p, unsigned* q, const h2* h) {
  const int i = ID;
  const float a = p[i], b = p[i + 1], c = p[i + 2], d = p[i + 3];
  int w = __builtin_amdgcn_cvt_pk_fp8_f32(a, b, 0, false);
  w = __builtin_amdgcn_cvt_pk_fp8_f32(c, d, w, true);
  q[i] = static_cast<unsigned>(w) + 1;
  int x = __builtin_amdgcn_cvt_sr_fp8_f32(a, 5, 0, 0);
  x = __builtin_amdgcn_cvt_sr_fp8_f32(b, 6, x, 1);
  x = __builtin_amdgcn_cvt_sr_bf8_f32(c, 7, x, 2);
  x = __builtin_amdgcn_cvt_sr_bf8_f32(d, 8, x, 3);
  q[i + 64] = static_cast<unsigned>(x) * 3;
  unsigned y = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(0, a, b, c, 0);
  y = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(y, b, c, d, 1);
  y = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(y, b, c, d, 2);
  y = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(y, c, d, a, 3);
  q[i + 128] = y ^ 9;
  f2 pair = {a, b};
  unsigned z = __builtin_amdgcn_cvt_scalef32_sr_pk_fp4_f32(0, pair, 5, c, 0);
  z = __builtin_amdgcn_cvt_scalef32_sr_pk_fp4_f32(z, pair, 6, d, 1);
  q[i + 192] = z ^ 9;
  unsigned v = __builtin_amdgcn_cvt_scalef32_pk_fp4_f16(0, h[i], c, 0);
  v = __builtin_amdgcn_cvt_scalef32_pk_fp4_f16(v, h[i + 1], c, 1);
  q[i + 256] = v ^ 9;
  int u = __builtin_amdgcn_cvt_scalef32_sr_fp8_f32(0, a, 5, c, 0);
  u = __builtin_amdgcn_cvt_scalef32_sr_fp8_f32(u, b, 5, c, 1);
  q[i + 320] = static_cast<unsigned>(u) ^ 9;
  short t __attribute__((ext_vector_type(2))) = {};
  t = __builtin_amdgcn_cvt_scalef32_pk_fp8_f32(t, a, b, c, true);
  q[i + 384] = __builtin_bit_cast(unsigned, t) ^ 9;
}

// Packed halves: SDWA and op_sel.
KERNEL halves(_Float16* h, const short* s, int* p) {
  const int i = ID;
  h2 v = {static_cast<_Float16>(h[i] * h[i + 1]), static_cast<_Float16>(h[i + 2] + h[i + 3])};
  reinterpret_cast<h2*>(h)[i + 64] = v * v;
  p[i] = (s[2 * i] + s[2 * i + 1]) << 16 | (s[2 * i + 3] & 0xff);
  reinterpret_cast<short*>(p)[i + 256] = static_cast<short>(s[i] * s[i + 5]);
}

KERNEL packed(f2* p, const f2* q) {
  f2 sum = p[ID];
  for (int j = 0; j < 4; ++j) sum = sum * q[ID + j] + 1.0f;
  sum += q[ID];
  p[ID] = sum + q[ID + 7];
}

KERNEL wide_stores(f4* p, const f4* q, int n) {
  f4 v = q[ID];
  for (int j = 0; j < n; ++j) {
    p[ID + 64 * j] = v;
    v *= 2.0f;
  }
}
KERNEL copies(f4* p, const f4* q, int n) {
  f4 v = q[ID];
  for (int j = 0; j < n; ++j) {
    __builtin_nontemporal_store(v, p + ID + 64 * j);
    v = __builtin_nontemporal_load(q + ID + 64 * j);
  }
  p[ID] = v;
}

KERNEL dots(const h2* a, const i2* b, float* p, int* q, f4* r) {
  const int i = ID;
  float d = __builtin_amdgcn_fdot2(a[i], a[i + 1], p[i], false);
  d = __builtin_amdgcn_fdot2(a[i + 2], a[i + 3], d, false);
  p[i] = d * 2.0f;
  int e = __builtin_amdgcn_sdot4(b[i][0], b[i][1], q[i], false);
  q[i] = __builtin_amdgcn_sdot8(e, b[i][0], e, false);
  f4 m = {};
  r[i] = __builtin_amdgcn_mfma_f32_16x16x4f32(d, d, m, 0, 0, 0);
}

KERNEL lds_dma(const int* p, int* q, int slot) {
  __attribute__((shared)) static int lds[1024];
  for (int j = 0; j < 4; ++j)
    __builtin_amdgcn_global_load_lds(const_cast<__attribute__((address_space(1))) int*>(
                                         (const __attribute__((address_space(1))) int*)(p + ID + 64 * j)),
                                     (__attribute__((address_space(3))) int*)(lds + (slot + j) * 64), 4, 0,
                                     0);
  __builtin_amdgcn_s_waitcnt(0);
  q[ID] = lds[ID] + lds[ID + 128];
}

KERNEL modes(float* p, int* q) {
  __builtin_amdgcn_s_setreg(1 | 3 << 11, 2);
  const float v = p[ID] * 3.0f;
  q[ID] = static_cast<int>(__builtin_amdgcn_s_getreg(1 | 31 << 11));
  __builtin_amdgcn_s_setreg(1 | 3 << 11, 0);
  p[ID] = v;
}
