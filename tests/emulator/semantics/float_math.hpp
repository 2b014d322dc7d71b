#pragma once
// Float operations of references in the host's rounding direction, the same for f16, f32 and f64. f16 is
// computed exactly in 113 bits, where even a fused multiply-add of halves fits, and rounded once.

#include "tests/emulator/semantics/reference.hpp"

#include <cmath>

namespace fmha950::semantics {

using exact = __float128;

template <class T> constexpr bool is_half = sizeof(T) == 2;
inline f16 rounded(exact x) { return static_cast<f16>(x); }

template <class T> T sum(T a, T b) {
  if constexpr (is_half<T>)
    return rounded(exact(a) + exact(b));
  else
    return a + b;
}
template <class T> T difference(T a, T b) {
  if constexpr (is_half<T>)
    return rounded(exact(a) - exact(b));
  else
    return a - b;
}
template <class T> T product(T a, T b) {
  if constexpr (is_half<T>)
    return rounded(exact(a) * exact(b));
  else
    return a * b;
}
template <class T> T fused(T a, T b, T c) {
  if constexpr (is_half<T>)
    return rounded(exact(a) * exact(b) + exact(c));
  else
    return std::fma(a, b, c);
}

template <class T> bool is_nan(T x) { return x != x; }
template <class T> bool is_negative(T x) { return to_bits(x) >> (8 * sizeof(T) - 1); }
template <class T> T nan() { return static_cast<T>(__builtin_nanf("")); }
template <class T> bool is_signaling(T x) {
  constexpr int quiet_bit = is_half<T> ? 9 : sizeof(T) == 4 ? 22 : 51;
  return is_nan(x) && !(to_bits(x) >> quiet_bit & 1);
}

// v_min, v_max with MODE.IEEE: a signaling NaN makes a NaN, a quiet one loses; -0 < +0.
template <class T> T least(T a, T b) {
  if (is_signaling(a) || is_signaling(b)) return nan<T>();
  if (is_nan(a)) return b;
  if (is_nan(b)) return a;
  if (a == b) return is_negative(a) ? a : b;
  return a < b ? a : b;
}
template <class T> T greatest(T a, T b) {
  if (is_signaling(a) || is_signaling(b)) return nan<T>();
  if (is_nan(a)) return b;
  if (is_nan(b)) return a;
  if (a == b) return is_negative(a) ? b : a;
  return a < b ? b : a;
}
// IEEE 754-2019: every NaN wins.
template <class T> T minimum(T a, T b) { return is_nan(a) || is_nan(b) ? nan<T>() : least(a, b); }
template <class T> T maximum(T a, T b) { return is_nan(a) || is_nan(b) ? nan<T>() : greatest(a, b); }
template <class T> T median(T a, T b, T c) { // by the guide's text: what neither is the largest
  if (is_nan(a) || is_nan(b) || is_nan(c)) return least(least(a, b), c);
  const T top = greatest(greatest(a, b), c);
  return top == a ? greatest(b, c) : top == b ? greatest(a, c) : greatest(a, b);
}

} // namespace fmha950::semantics
