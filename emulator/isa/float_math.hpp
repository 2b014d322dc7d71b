#pragma once
// Float operations shared by the f16, f32, f64 and packed families.

#include "emulator/isa/nan.hpp"

namespace fmha950::isa::FMHA950_SIMD {

template <class T> FMHA950_INLINE Lanes<T> fma(Lanes<T> a, Lanes<T> b, Lanes<T> c) {
  return __builtin_elementwise_fma(a, b, c);
}

// Denormals become zeros of their sign.
template <class T> FMHA950_INLINE Lanes<T> flush(Lanes<T> x) {
  const auto bits = to_bits<T>(x);
  return from_bits<T>((bits & Ieee<T>::infinity) == 0 ? bits & Ieee<T>::sign : bits);
}

// MODE's denormal fields: f32 [5:4], f16 and f64 [7:6]; bit 0 keeps operands, bit 1 results
// (machine_gfx950.md section 1.3).
enum class DenormalField { of_operands, of_results };
template <class T> FMHA950_INLINE bool keeps_denormals(uint32_t mode, DenormalField which) {
  return mode >> ((sizeof(T) == 4 ? 4 : 6) + (which == DenormalField::of_results ? 1 : 0)) & 1;
}
template <class T> FMHA950_INLINE Lanes<T> flushed(uint32_t mode, DenormalField which, Lanes<T> x) {
  return keeps_denormals<T>(mode, which) ? x : flush<T>(x);
}

// Whether the host rounds to nearest even, as it does but for MODEs that round otherwise
// (machine/float_mode.hpp). For bodies that take the exact error of a sum.
FMHA950_INLINE bool rounds_to_nearest() { return (__builtin_ia32_stmxcsr() >> 13 & 3) == 0; }

// The clamp bit of float results: to [0, 1]; NaN becomes 0 with MODE.DX10_CLAMP (bit 8).
template <class T> FMHA950_INLINE Lanes<T> clamped(uint32_t mode, Lanes<T> value) {
  const Lanes<T> zero_or_nan = mode >> 8 & 1 ? Lanes<T>{} : value;
  const Lanes<T> bounded = value > 0 ? (value < 1 ? value : Lanes<T>(static_cast<T>(1))) : Lanes<T>{};
  return is_nan<T>(value) ? zero_or_nan : bounded;
}

// f16 fused multiply-add with one rounding. The product is exact in f32; the sum is rounded to odd (its last
// bit records whether anything was lost), after which rounding to f16 is as if from the exact sum. Directed
// rounding needs no such care: done twice it is the same as once.
FMHA950_INLINE Lanes<f16> half_fma(Lanes<f16> a, Lanes<f16> b, Lanes<f16> c) {
  const auto wide = [](Lanes<f16> x)
                        __attribute__((always_inline)) { return __builtin_convertvector(x, Lanes<f32>); };
  const Lanes<f32> product = wide(a) * wide(b), addend = wide(c), sum = product + addend;
  if (!rounds_to_nearest()) [[unlikely]]
    return __builtin_convertvector(sum, Lanes<f16>);
  // The rounding error of the sum, exactly (Knuth's TwoSum).
  const Lanes<f32> virtual_addend = sum - product;
  const Lanes<f32> error = (product - (sum - virtual_addend)) + (addend - virtual_addend);
  const auto sum_bits = __builtin_bit_cast(Lanes<i32>, sum),
             error_bits = __builtin_bit_cast(Lanes<i32>, error);
  // One step toward the exact sum where the last bit is even: away from zero if the error has the sum's sign.
  const Lanes<i32> step = (sum_bits ^ error_bits) < 0 ? Lanes<i32>(-1) : Lanes<i32>(1);
  const auto inexact = (error != 0) & (error == error) & ((sum_bits & 1) == 0);
  const auto odd = inexact ? sum_bits + step : sum_bits;
  return __builtin_convertvector(__builtin_bit_cast(Lanes<f32>, odd), Lanes<f16>);
}

// v_min/v_max with MODE.IEEE set, as compiled kernels have it (ISA guide, V_MIN_F32, V_MAX_F32): a signaling
// NaN comes out quiet, a quiet NaN loses against a number, -0 < +0.
template <class T, bool maximum> FMHA950_INLINE Lanes<T> extremum(Lanes<T> a, Lanes<T> b) {
  const auto a_bits = to_bits<T>(a), b_bits = to_bits<T>(b);
  const auto ordered = maximum ? a > b : a < b;
  // Equal values differ at most in the sign of zero.
  const auto equal = from_bits<T>(maximum ? a_bits & b_bits : a_bits | b_bits);
  Lanes<T> result = a == b ? equal : (ordered ? a : b);
  if (lanes_true(is_nan<T>(a) | is_nan<T>(b))) [[unlikely]] {
    result = is_nan<T>(b) ? a : result;
    result = is_nan<T>(a) ? b : result;
    result = is_signaling<T>(b) ? quieted<T>(b) : result;
    result = is_signaling<T>(a) ? quieted<T>(a) : result;
  }
  return result;
}
template <class T> FMHA950_INLINE Lanes<T> minimum(Lanes<T> a, Lanes<T> b) {
  return extremum<T, false>(a, b);
}
template <class T> FMHA950_INLINE Lanes<T> maximum(Lanes<T> a, Lanes<T> b) { return extremum<T, true>(a, b); }

// v_minimum3/v_maximum3 and their packed forms (IEEE 754-2019): any NaN wins over numbers; -0 < +0.
template <class T, bool maximum> FMHA950_INLINE Lanes<T> propagating(Lanes<T> a, Lanes<T> b) {
  const Lanes<T> result = extremum<T, maximum>(a, b);
  return is_nan<T>(a) ? a : (is_nan<T>(b) ? b : result);
}

// v_med3 (ISA guide, V_MED3_F32): with a NaN among the sources it is v_min3.
template <class T> FMHA950_INLINE Lanes<T> median(Lanes<T> a, Lanes<T> b, Lanes<T> c) {
  const auto top = maximum<T>(maximum<T>(a, b), c);
  const auto middle = top == a ? maximum<T>(b, c) : (top == b ? maximum<T>(a, c) : maximum<T>(a, b));
  const auto any_nan = is_nan<T>(a) | is_nan<T>(b) | is_nan<T>(c);
  return any_nan ? minimum<T>(minimum<T>(a, b), c) : middle;
}

// x - floor(x), below 1 (ISA guide, V_FRACT_F32: clamped to the number before 1).
template <class T> FMHA950_INLINE Lanes<T> fraction(Lanes<T> x) {
  const Lanes<T> below_one = from_bits<T>(Lanes<typename Ieee<T>::Bits>(
      typename Ieee<T>::Bits(typename Ieee<T>::Bits(Ieee<T>::bias) << Ieee<T>::mantissa) - 1));
  const Lanes<T> value = x - __builtin_elementwise_floor(x);
  return value > below_one ? below_one : value;
}

} // namespace fmha950::isa::FMHA950_SIMD
