// Sums of products, matrix instructions, stencils, atomics, and workgroups whose waves go different ways.
#include "gfx950/lds.hpp"
#include "gfx950/waits.hpp"
#include "tests/corpus/corpus_kernel.hpp"

namespace {

using Half4 = Vector<fp16, 4>;

__device__ float as_float(uint32_t bits) { return bits_as<float>(bits); }
__device__ float row_maximum(float value) {
  for (uint32_t distance = 32; distance > 0; distance /= 2)
    value = maximum(value, bits_as<float>(__builtin_amdgcn_ds_bpermute(
                               static_cast<int>((lane_id() ^ distance) * 4), bits_as<int>(value))));
  return value;
}
__device__ float row_sum(float value) {
  for (uint32_t distance = 32; distance > 0; distance /= 2)
    value += bits_as<float>(
        __builtin_amdgcn_ds_bpermute(static_cast<int>((lane_id() ^ distance) * 4), bits_as<int>(value)));
  return value;
}

} // namespace

// D = A * B, 16 x 16 x 16 of fp16. in = {A row by row, B column by column}, two to a word. The waits and the
// s_nops stand by hand: VALU writes a source, the matrix instruction reads it; the result is read by VALU.
CORPUS_KERNEL(gemm_nops, 64) {
  const uint32_t lane = lane_id();
  const uint32_t offset = lane % 16 * 32 + lane / 16 * 8; // row (column), k = 4 * (lane / 16)
  Float4 sum;
  asm volatile("global_load_dwordx2 v[24:25], %4, %5\n\t"
               "global_load_dwordx2 v[26:27], %4, %5 offset:512\n\t"
               "v_mov_b32 v20, 0\n\tv_mov_b32 v21, 0\n\tv_mov_b32 v22, 0\n\tv_mov_b32 v23, 0\n\t"
               "s_waitcnt vmcnt(0)\n\t"
               "v_pk_add_f16 v24, v24, v24\n\tv_pk_add_f16 v25, v25, v25\n\t"
               "s_nop 1\n\t"
               "v_mfma_f32_16x16x16_f16 v[20:23], v[24:25], v[26:27], v[20:23]\n\t"
               "s_nop 10\n\t"
               "v_mov_b32 %0, v20\n\tv_mov_b32 %1, v21\n\tv_mov_b32 %2, v22\n\tv_mov_b32 %3, v23"
               : "=&v"(sum[0]), "=&v"(sum[1]), "=&v"(sum[2]), "=&v"(sum[3])
               : "v"(offset), "s"(arguments.in + workgroup_id_x() * 256)
               : "memory", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27");
  for (uint32_t i = 0; i < 4; ++i) // row 4 * (lane / 16) + i, column lane % 16
    arguments.out[workgroup_id_x() * 256 + (lane / 16 * 4 + i) * 16 + lane % 16] =
        bits_as<uint32_t>(float(sum[i]));
}

// The same product with A and B through LDS and the compiler's own waits; two k steps of n / 512 tiles.
CORPUS_KERNEL(gemm_lds, 64) {
  __shared__ uint32_t a_tile[128], b_tile[128];
  const uint32_t lane = lane_id(), at = lane % 16 * 8 + lane / 16 * 2;
  Float4 sum = {0, 0, 0, 0};
  for (uint32_t tile = 0; tile < arguments.n / 256; ++tile) {
    for (uint32_t i = 0; i < 2; ++i) {
      a_tile[i * 64 + lane] = arguments.in[tile * 256 + i * 64 + lane];
      b_tile[i * 64 + lane] = arguments.in[tile * 256 + 128 + i * 64 + lane];
    }
    sync();
    const Half4 a = *reinterpret_cast<const Half4*>(a_tile + at),
                b = *reinterpret_cast<const Half4*>(b_tile + at);
    sum = __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, sum, 0, 0, 0);
    sync();
  }
  for (uint32_t i = 0; i < 4; ++i)
    arguments.out[(lane / 16 * 4 + i) * 16 + lane % 16] = bits_as<uint32_t>(float(sum[i]));
}

// Softmax of a row of 64 floats per wave.
CORPUS_KERNEL(softmax_row, 128) {
  const float value = as_float(arguments.in[item(128)]);
  const float e = __builtin_amdgcn_exp2f((value - row_maximum(value)) * 1.44269504f);
  arguments.out[item(128)] = bits_as<uint32_t>(e / row_sum(e));
}

// out = M * v: 64 columns, one row per wave at a time, v in LDS. in = {v, M}.
CORPUS_KERNEL(matrix_vector, 256) {
  __shared__ uint32_t vector[64];
  if (thread_id() < 64) vector[thread_id()] = arguments.in[thread_id()];
  sync();
  const uint32_t rows = arguments.n / 64 - 1;
  for (uint32_t row = workgroup_id_x() * 4 + wave_id(); row < rows; row += 8) {
    uint32_t sum = arguments.in[64 + row * 64 + lane_id()] * vector[lane_id()];
    for (uint32_t distance = 32; distance > 0; distance /= 2)
      sum += static_cast<uint32_t>(
          __builtin_amdgcn_ds_bpermute(static_cast<int>((lane_id() ^ distance) * 4), static_cast<int>(sum)));
    if (lane_id() == 0) arguments.out[row] = sum;
  }
}

// out[i] = in[i-1] + 2 in[i] + in[i+1], zero outside; a halo of one word on each side in LDS.
CORPUS_KERNEL(stencil_halo, 256) {
  __shared__ uint32_t words[258];
  const uint32_t t = thread_id(), i = item(256);
  const auto load = [&](uint32_t at) { return at < arguments.n ? arguments.in[at] : 0; }; // -1 wraps: outside
  words[t + 1] = load(i);
  if (t == 0) words[0] = load(i - 1);
  if (t == 255) words[257] = load(i + 1);
  sync();
  if (i < arguments.n) arguments.out[i] = words[t] + 2 * words[t + 1] + words[t + 2];
}

// Each work-item multiplies what is a stride apart; workgroups add up by one atomic each.
CORPUS_KERNEL(dot_product, 256) {
  __shared__ uint32_t sums[4];
  uint32_t sum = 0;
  for (uint32_t i = item(256); i < arguments.n / 2; i += 512)
    sum += arguments.in[i] * arguments.in[arguments.n / 2 + i];
  for (uint32_t distance = 32; distance > 0; distance /= 2)
    sum += static_cast<uint32_t>(
        __builtin_amdgcn_ds_bpermute(static_cast<int>((lane_id() ^ distance) * 4), static_cast<int>(sum)));
  if (lane_id() == 0) sums[wave_id()] = sum;
  sync();
  if (thread_id() == 0)
    __scoped_atomic_fetch_add(arguments.out, sums[0] + sums[1] + sums[2] + sums[3], __ATOMIC_RELAXED,
                              __MEMORY_SCOPE_DEVICE);
}

// 64 bins in LDS, added to those in memory at the end.
CORPUS_KERNEL(histogram, 256) {
  __shared__ uint32_t bins[64];
  const uint32_t t = thread_id();
  if (t < 64) bins[t] = 0;
  sync();
  for (uint32_t i = item(256); i < arguments.n; i += 512)
    __scoped_atomic_fetch_add(&bins[arguments.in[i] % 64], 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  sync();
  if (t < 64) __scoped_atomic_fetch_add(arguments.out + t, bins[t], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

// Every lane draws a ticket; out[0] ends as their number and out[1] as the largest word.
CORPUS_KERNEL(global_counter, 128) {
  const uint32_t value = arguments.in[item(128)];
  if (value % 3 == 0) __scoped_atomic_fetch_add(arguments.out, 1, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  __scoped_atomic_fetch_max(arguments.out + 1, value, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}

// Groups leave their sums in memory; the last to count itself in adds them up. out = {total, counter, sums}.
CORPUS_KERNEL(last_group, 64) {
  uint32_t sum = arguments.in[item(64)];
  for (uint32_t distance = 32; distance > 0; distance /= 2)
    sum += static_cast<uint32_t>(
        __builtin_amdgcn_ds_bpermute(static_cast<int>((lane_id() ^ distance) * 4), static_cast<int>(sum)));
  if (lane_id() != 0) return;
  uint32_t* const sums = arguments.out + 2;
  const uint32_t workgroups = arguments.n / 64;
  __scoped_atomic_store_n(sums + workgroup_id_x(), sum, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  const uint32_t before =
      __scoped_atomic_fetch_add(arguments.out + 1, 1, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE);
  if (before + 1 != workgroups) return;
  uint32_t total = 0;
  for (uint32_t workgroup = 0; workgroup < workgroups; ++workgroup)
    total += __scoped_atomic_load_n(sums + workgroup, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  arguments.out[0] = total;
}

// Two groups of two waves meet at different s_barrier instructions: arrivals count, not places.
CORPUS_KERNEL(two_groups, 256) {
  __shared__ uint32_t words[2][128];
  const uint32_t half = wave_id() / 2, t = thread_id() % 128;
  const uint32_t value = arguments.in[item(256)];
  if (half == 0) {
    words[0][t] = value + 1;
    asm volatile("s_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
    arguments.out[item(256)] = words[1][127 - t];
  } else {
    words[1][t] = value * 3;
    asm volatile("s_nop 0\n\ts_waitcnt lgkmcnt(0)\n\ts_barrier" ::: "memory");
    arguments.out[item(256)] = words[0][127 - t];
  }
}

// Two waves in turns: one computes from LDS what the other has stored, one barrier apart, as ping-pong
// attention kernels do.
CORPUS_KERNEL(ping_pong_groups, 128) {
  __shared__ uint32_t words[2][64];
  const uint32_t wave = wave_id(), lane = lane_id();
  uint32_t value = arguments.in[item(128)];
  if (wave == 1) sync(); // half a turn behind
  for (uint32_t turn = 0; turn < 4; ++turn) {
    words[wave][lane] = value;
    sync();
    value = value * 3 + words[wave][lane ^ 1];
    sync();
  }
  if (wave == 0) sync();
  arguments.out[item(128)] = value + words[wave ^ 1][lane];
}
