// Sums, scans and sorts: LDS trees, DPP, ds_swizzle, ds_bpermute.
#include "tests/corpus/corpus_kernel.hpp"

namespace {

template <int CONTROL, int ROWS = 0xF> __device__ uint32_t add_dpp(uint32_t value) {
  return value + static_cast<uint32_t>(
                     __builtin_amdgcn_update_dpp(0, static_cast<int>(value), CONTROL, ROWS, 0xF, false));
}
template <int XOR> __device__ uint32_t add_swizzled(uint32_t value) {
  // ds_swizzle, bit mode: and 0x1F, or 0, xor XOR.
  return value +
         static_cast<uint32_t>(__builtin_amdgcn_ds_swizzle(static_cast<int>(value), XOR << 10 | 0x1F));
}
__device__ uint32_t from_lane(uint32_t value, uint32_t lane) {
  return static_cast<uint32_t>(
      __builtin_amdgcn_ds_bpermute(static_cast<int>(lane * 4), static_cast<int>(value)));
}

} // namespace

// out[workgroup] = sum of the workgroup's 256 words.
CORPUS_KERNEL(reduce_lds_tree, 256) {
  __shared__ uint32_t values[256];
  const uint32_t t = thread_id();
  values[t] = arguments.in[item(256)];
  for (uint32_t half = 128; half > 0; half /= 2) {
    sync();
    if (t < half) values[t] += values[t + half];
  }
  if (t == 0) arguments.out[workgroup_id_x()] = values[0];
}

// Sum of 64 words by row shifts and row broadcasts; the last lane has it.
CORPUS_KERNEL(reduce_dpp, 64) {
  uint32_t value = arguments.in[item(64)];
  value = add_dpp<0x111>(value); // row_shr:1
  value = add_dpp<0x112>(value);
  value = add_dpp<0x114>(value);
  value = add_dpp<0x118>(value);
  value = add_dpp<0x142, 0xA>(value); // row_bcast:15 into rows 1 and 3
  value = add_dpp<0x143, 0xC>(value); // row_bcast:31 into rows 2 and 3
  if (lane_id() == 63) arguments.out[workgroup_id_x()] = value;
}

CORPUS_KERNEL(reduce_swizzle, 64) {
  uint32_t value = arguments.in[item(64)];
  value = add_swizzled<1>(value);
  value = add_swizzled<2>(value);
  value = add_swizzled<4>(value);
  value = add_swizzled<8>(value);
  value = add_swizzled<16>(value);
  const uint32_t other = __builtin_amdgcn_readlane(value, 32);
  if (lane_id() == 0) arguments.out[workgroup_id_x()] = value + other;
}

CORPUS_KERNEL(reduce_bpermute, 64) {
  uint32_t value = arguments.in[item(64)];
  for (uint32_t distance = 32; distance > 0; distance /= 2) value += from_lane(value, lane_id() ^ distance);
  arguments.out[item(64)] = value;
}

// Inclusive sums of 256 words, two buffers in LDS.
CORPUS_KERNEL(scan_hillis_steele, 256) {
  __shared__ uint32_t values[2][256];
  const uint32_t t = thread_id();
  uint32_t sum = arguments.in[item(256)];
  int buffer = 0;
  values[buffer][t] = sum;
  for (uint32_t distance = 1; distance < 256; distance *= 2) {
    sync();
    if (t >= distance) sum += values[buffer][t - distance];
    buffer ^= 1;
    values[buffer][t] = sum;
  }
  arguments.out[item(256)] = sum;
}

// Inclusive sums: within each wave by bpermute, across the four waves through LDS.
CORPUS_KERNEL(scan_waves, 256) {
  __shared__ uint32_t totals[4];
  uint32_t sum = arguments.in[item(256)];
  for (uint32_t distance = 1; distance < 64; distance *= 2) {
    const uint32_t below = from_lane(sum, lane_id() - distance);
    if (lane_id() >= distance) sum += below;
  }
  if (lane_id() == 63) totals[wave_id()] = sum;
  sync();
  for (uint32_t wave = 0; wave < wave_id(); ++wave) sum += totals[wave];
  arguments.out[item(256)] = sum;
}

// Ascending order of the workgroup's 256 words.
CORPUS_KERNEL(sort_bitonic, 256) {
  __shared__ uint32_t values[256];
  const uint32_t t = thread_id();
  values[t] = arguments.in[item(256)];
  for (uint32_t size = 2; size <= 256; size *= 2)
    for (uint32_t distance = size / 2; distance > 0; distance /= 2) {
      sync();
      const uint32_t other = t ^ distance;
      const uint32_t a = values[t], b = values[other];
      sync();
      const bool keeps_minimum = (t < other) == ((t & size) == 0);
      values[t] = keeps_minimum ? minimum(a, b) : maximum(a, b);
    }
  arguments.out[item(256)] = values[t];
}

// out[0] counts, then the odd words of the workgroup in order, each wave's behind those of the waves before.
CORPUS_KERNEL(compact_odd, 256) {
  __shared__ uint32_t counts[4];
  const uint32_t value = arguments.in[item(256)];
  const bool odd = value & 1;
  const uint64_t mask = __builtin_amdgcn_ballot_w64(odd);
  if (lane_id() == 0) counts[wave_id()] = static_cast<uint32_t>(__builtin_popcountll(mask));
  sync();
  uint32_t before = 0, all = 0;
  for (uint32_t wave = 0; wave < 4; ++wave) {
    before += wave < wave_id() ? counts[wave] : 0;
    all += counts[wave];
  }
  uint32_t* out = arguments.out + workgroup_id_x() * 257;
  const uint32_t rank = __builtin_amdgcn_mbcnt_hi(static_cast<uint32_t>(mask >> 32),
                                                  __builtin_amdgcn_mbcnt_lo(static_cast<uint32_t>(mask), 0));
  if (odd) out[1 + before + rank] = value;
  if (thread_id() == 0) out[0] = all;
}
