#pragma once
// Integer operations shared by the 16-bit, 32-bit and packed families. Arithmetic that may wrap is unsigned.

#include "emulator/isa/operand.hpp"

namespace fmha950::isa::FMHA950_SIMD {

FMHA950_INLINE Lanes<u16> as_unsigned(Lanes<i16> x) { return __builtin_bit_cast(Lanes<u16>, x); }
FMHA950_INLINE Lanes<u32> as_unsigned(Lanes<i32> x) { return __builtin_bit_cast(Lanes<u32>, x); }
FMHA950_INLINE Lanes<i16> as_signed(Lanes<u16> x) { return __builtin_bit_cast(Lanes<i16>, x); }
FMHA950_INLINE Lanes<i32> as_signed(Lanes<u32> x) { return __builtin_bit_cast(Lanes<i32>, x); }

template <class V> FMHA950_INLINE V smaller(V a, V b) { return __builtin_elementwise_min(a, b); }
template <class V> FMHA950_INLINE V larger(V a, V b) { return __builtin_elementwise_max(a, b); }
template <class V> FMHA950_INLINE V middle(V a, V b, V c) {
  return larger(smaller(a, b), smaller(larger(a, b), c));
}

FMHA950_INLINE Lanes<u32> wide(Lanes<u16> x) { return __builtin_convertvector(x, Lanes<u32>); }
FMHA950_INLINE Lanes<i32> wide(Lanes<i16> x) { return __builtin_convertvector(x, Lanes<i32>); }
FMHA950_INLINE Lanes<u16> saturated16(Lanes<u32> x) {
  return __builtin_convertvector(smaller(x, Lanes<u32>(65535u)), Lanes<u16>);
}
FMHA950_INLINE Lanes<i16> saturated16(Lanes<i32> x) {
  return __builtin_convertvector(larger(smaller(x, Lanes<i32>(32767)), Lanes<i32>(-32768)), Lanes<i16>);
}

// 16-bit multiply-add; the exact sum fits into 32 bits.
FMHA950_INLINE Lanes<i16> wrapping_mad(Lanes<i16> a, Lanes<i16> b, Lanes<i16> c) {
  return as_signed(as_unsigned(a) * as_unsigned(b) + as_unsigned(c));
}
FMHA950_INLINE Lanes<u16> saturating_mad(Lanes<u16> a, Lanes<u16> b, Lanes<u16> c) {
  return saturated16(wide(a) * wide(b) + wide(c));
}
FMHA950_INLINE Lanes<i16> saturating_mad(Lanes<i16> a, Lanes<i16> b, Lanes<i16> c) {
  return saturated16(wide(a) * wide(b) + wide(c));
}

} // namespace fmha950::isa::FMHA950_SIMD
