#pragma once
// 64-lane values. Clang lowers these extended vectors to whatever registers the target of this compilation
// has; code written with them is the same for AVX-512, AVX2 and baseline, and so are its bits (contraction is
// off, NaNs are chosen explicitly, FMA is __builtin_elementwise_fma).
//
// Everything here is in the SIMD namespace of the compilation and always inlined: a function shared between
// two targets' objects would be merged by the linker and could carry AVX-512 code to a host without it.

#include "emulator/program/row.hpp"
#include "numerics/target.hpp"

#include <cstdint>
#include <type_traits>

#define FMHA950_INLINE [[gnu::always_inline]] inline

namespace fmha950::isa::FMHA950_SIMD {

constexpr int wave_lanes = target.wave_lanes;
template <class T> using Lanes = T __attribute__((ext_vector_type(wave_lanes)));
using LaneMask = bool __attribute__((ext_vector_type(wave_lanes))); // bit l = lane l

FMHA950_INLINE uint64_t bits_of(LaneMask mask) { return __builtin_bit_cast(uint64_t, mask); }
FMHA950_INLINE LaneMask mask_of(uint64_t bits) { return __builtin_bit_cast(LaneMask, bits); }

// Lane index vector {0, 1, ... 63}.
FMHA950_INLINE Lanes<uint32_t> lane_ids() {
  Lanes<uint32_t> ids;
  for (int l = 0; l < wave_lanes; ++l) ids[l] = l;
  return ids;
}
// All-ones (-1) in the lanes of `bits`, zero elsewhere; Int as wide as the values it will select.
template <class Int = int32_t> FMHA950_INLINE Lanes<Int> expand(uint64_t bits) {
  return -__builtin_convertvector(mask_of(bits), Lanes<Int>);
}
// Comparison results (0 or -1 per lane) to a lane mask.
template <class V> FMHA950_INLINE uint64_t lanes_true(V comparison) {
  return bits_of(__builtin_convertvector(comparison, LaneMask));
}
template <class T> FMHA950_INLINE Lanes<T> load_lanes(const void* pointer) {
  Lanes<T> value;
  __builtin_memcpy(&value, pointer, sizeof value);
  return value;
}
template <class V> FMHA950_INLINE void store_lanes(void* pointer, V value) {
  __builtin_memcpy(pointer, &value, sizeof value);
}
// b where the lane is in `bits`, a elsewhere.
template <class T> FMHA950_INLINE Lanes<T> blend(Lanes<T> a, Lanes<T> b, uint64_t bits) {
  if (bits == ~uint64_t{0}) return b;
  using Int =
      std::conditional_t<sizeof(T) == 8, int64_t, std::conditional_t<sizeof(T) == 4, int32_t, int16_t>>;
  return expand<Int>(bits) ? b : a;
}

} // namespace fmha950::isa::FMHA950_SIMD
