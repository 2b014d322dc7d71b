#pragma once
// Base-2 exponential and logarithm, sine and cosine of revolutions, reciprocals and roots. The silicon's
// exact bits are not public; the ISA guide promises 1 ulp (2^29 ulp for f64). These are deterministic:
// polynomials of FMAs (minimax, fitted with Remez' algorithm) and IEEE division and square root.

#include "emulator/isa/float_math.hpp"

namespace fmha950::isa::FMHA950_SIMD {

// Coefficients from the highest power down.
template <class T, int count> FMHA950_INLINE Lanes<T> polynomial(Lanes<T> x, const T (&coefficients)[count]) {
  Lanes<T> sum = coefficients[0];
  for (int i = 1; i < count; ++i) sum = fma<T>(sum, x, Lanes<T>(coefficients[i]));
  return sum;
}
FMHA950_INLINE Lanes<f64> widen(Lanes<f32> x) { return __builtin_convertvector(x, Lanes<f64>); }
FMHA950_INLINE Lanes<f32> narrow(Lanes<f64> x) { return __builtin_convertvector(x, Lanes<f32>); }

// 2^x. Results below the normal range are flushed (ISA guide, V_EXP_F32).
FMHA950_INLINE Lanes<f32> exponential(Lanes<f32> x) {
  constexpr f32 to_integer = 0x1.8p23f; // adding it leaves the nearest integer in the low bits
  // (2^r - 1) / r for |r| <= 1/2, relative error 2^-28.9
  constexpr f32 tail[] = {0x1.41fc28p-13f, 0x1.5f3e52p-10f, 0x1.3b2d4cp-7f,
                          0x1.c6aee8p-5f,  0x1.ebfbdcp-3f,  0x1.62e43p-1f};
  const Lanes<f32> shifted = x + to_integer, r = x - (shifted - to_integer);
  const Lanes<f32> power = fma<f32>(polynomial(r, tail), r, Lanes<f32>(1));
  const Lanes<f32> scaled = from_bits<f32>(to_bits<f32>(power) + (to_bits<f32>(shifted) << 23));
  const Lanes<f32> bounded = x < -126 ? Lanes<f32>(0) : scaled;
  return x >= 128 ? Lanes<f32>(__builtin_inff()) : bounded;
}

// log2(x) of a positive, normal, finite x.
FMHA950_INLINE Lanes<f32> logarithm(Lanes<f32> x) {
  constexpr u32 root_half = 0x3F3504F3; // mantissas run from sqrt(1/2) to sqrt(2)
  // log2(1 + f) / f, absolute error 2^-37.9
  constexpr f64 quotient[] = {-0x1.25b85c778c73ap-4, 0x1.128f751990bbdp-3,  -0x1.133c52f714b1cp-3,
                              0x1.09f814f01f05dp-3,  -0x1.23cd37c5b75ccp-3, 0x1.48351ce9e21c9p-3,
                              -0x1.718ac85b78bdap-3, 0x1.a61a7a2ebf287p-3,  -0x1.ec6f15149058bp-3,
                              0x1.2776b9aaff62ep-2,  -0x1.715478c05b3adp-2, 0x1.ec709ddd107e5p-2,
                              -0x1.715476519635cp-1, 0x1.71547652b61f7p+0};
  const auto above = __builtin_bit_cast(Lanes<i32>, to_bits<f32>(x) - root_half);
  const auto exponent = above >> 23;
  const auto mantissa = to_bits<f32>(x) - (__builtin_bit_cast(Lanes<u32>, exponent) << 23);
  const Lanes<f64> f = widen(from_bits<f32>(mantissa)) - 1;
  return narrow(fma<f64>(polynomial(f, quotient), f, __builtin_convertvector(exponent, Lanes<f64>)));
}

// sin and cos of x revolutions; whole revolutions drop out exactly, so the full range is supported.
template <bool cosine> FMHA950_INLINE Lanes<f32> wave_of(Lanes<f32> x) {
  // sin(2 pi t) / t and cos(2 pi t) in t^2 for |t| <= 1/8, error 2^-44
  constexpr f64 sine_terms[] = {-0x1.dd54adc14d040p+3, 0x1.5071cebc8c91ap+5,  -0x1.32d2c645738d1p+6,
                                0x1.466bc6712513fp+6,  -0x1.4abbce6257a3cp+5, 0x1.921fb54442cfap+2};
  constexpr f64 cosine_terms[] = {-0x1.a0ee4947a04dbp+4, 0x1.e1e7cddad9619p+5,  -0x1.55d3ba31e4b9ep+6,
                                  0x1.03c1f074e172cp+6,  -0x1.3bd3cc9bd2c89p+4, 1.0};
  const Lanes<f64> turn = widen(x - __builtin_elementwise_roundeven(x));
  const Lanes<f64> quarter = __builtin_elementwise_roundeven(turn * 4), t = turn - quarter * 0.25;
  const Lanes<f64> sine = polynomial(t * t, sine_terms) * t, cos = polynomial(t * t, cosine_terms);
  const auto quadrant = __builtin_convertvector(quarter, Lanes<i64>) + (cosine ? 1 : 0);
  const Lanes<f64> value = (quadrant & 1) != 0 ? cos : sine;
  return narrow(((quadrant & 2) != 0 ? -value : value) + 0.0); // no negative zeros but for sin(-0)
}

// A NaN source comes out quiet; an invalid operation gives the guide's 0xffc00000.
template <class T, class Condition>
FMHA950_INLINE Lanes<T> with_nans(Lanes<T> result, Lanes<T> x, Condition invalid) {
  const Lanes<T> indefinite = from_bits<T>(Lanes<typename Ieee<T>::Bits>(
      static_cast<typename Ieee<T>::Bits>(Ieee<T>::default_nan | Ieee<T>::sign)));
  result = invalid ? indefinite : result;
  return is_nan<T>(x) ? quieted<T>(x) : result;
}

FMHA950_INLINE Lanes<f32> safe_logarithm(Lanes<f32> x) {
  const Lanes<f32> finite = x > 0x1.fffffep127f ? x : logarithm(x);
  return with_nans<f32>(x == 0 ? Lanes<f32>(-__builtin_inff()) : finite, x, x < 0);
}
FMHA950_INLINE Lanes<f32> reciprocal_root(Lanes<f32> x) {
  const Lanes<f32> root = narrow(1.0 / __builtin_elementwise_sqrt(widen(x)));
  return with_nans<f32>(x == 0 ? 1 / x : root, x, x < 0);
}
template <bool cosine> FMHA950_INLINE Lanes<f32> safe_wave_of(Lanes<f32> x) {
  const auto infinite = __builtin_elementwise_abs(x) > 0x1.fffffep127f;
  const Lanes<f32> bounded = infinite ? Lanes<f32>(0) : x;
  const Lanes<f32> value = wave_of<cosine>(bounded == bounded ? bounded : Lanes<f32>(0));
  if constexpr (!cosine) return with_nans<f32>(x == 0 ? x : value, x, infinite);
  return with_nans<f32>(value, x, infinite);
}

} // namespace fmha950::isa::FMHA950_SIMD
