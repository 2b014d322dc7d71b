#pragma once
// Which lane each lane reads in ds_swizzle_b32.

#include "emulator/isa/vector.hpp"

namespace fmha950::isa::FMHA950_SIMD {

// Source lane of ds_swizzle_b32. Rotate and FFT as in AMD's "Vega ISA" guide, DS_SWIZZLE_B32 pseudo-code.
FMHA950_INLINE int swizzle_source(uint32_t offset, int lane) {
  const int half = lane & 32, l = lane & 31;
  if (offset >= 0xE000) {
    const int mask = offset & 31;
    int reversed = 0;
    for (int bit = 0; bit < 5; ++bit) reversed |= (l >> bit & 1) << (4 - bit);
    return reversed >> __builtin_popcount(mask) | (l & mask) | half;
  }
  if (offset >= 0xC000) {
    const int mask = offset & 31, distance = offset >> 5 & 31;
    const int rotated = offset & 0x400 ? l - distance : l + distance;
    return (l & mask) | (rotated & ~mask & 31) | half;
  }
  if (offset & 0x8000) return (lane & ~3) | (offset >> (2 * (lane & 3)) & 3);
  const int and_mask = offset & 31, or_mask = offset >> 5 & 31, xor_mask = offset >> 10 & 31;
  return (((l & and_mask) | or_mask) ^ xor_mask) | half;
}

} // namespace fmha950::isa::FMHA950_SIMD
