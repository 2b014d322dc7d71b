#pragma once
// Which NaN comes out. x86, its libm and the GPU choose differently, so every float result is chosen
// explicitly: the first NaN source made quiet, else the default NaN. The order of preference is a guess (the
// ISA guide only says that NaNs are quieted); the differential tests compare NaN as NaN.

#include "emulator/isa/operand.hpp"

namespace fmha950::isa::FMHA950_SIMD {

template <class T> struct FloatBits;
template <> struct FloatBits<f16> {
  using Bits = u16;
  static constexpr int mantissa = 10;
};
template <> struct FloatBits<f32> {
  using Bits = u32;
  static constexpr int mantissa = 23;
};
template <> struct FloatBits<f64> {
  using Bits = u64;
  static constexpr int mantissa = 52;
};
template <class T> struct Ieee {
  using Bits = typename FloatBits<T>::Bits;
  static constexpr int mantissa = FloatBits<T>::mantissa;
  static constexpr int exponent_bits = int(sizeof(T) * 8) - 1 - mantissa;
  static constexpr int bias = (1 << (exponent_bits - 1)) - 1;
  static constexpr Bits sign = Bits(Bits(1) << (sizeof(T) * 8 - 1));
  static constexpr Bits magnitude = Bits(~sign);
  static constexpr Bits fraction = Bits((Bits(1) << mantissa) - 1);
  static constexpr Bits infinity = Bits(magnitude & ~fraction);
  static constexpr Bits quiet = Bits(Bits(1) << (mantissa - 1));
  static constexpr Bits default_nan = Bits(infinity | quiet);
};

template <class T> FMHA950_INLINE auto to_bits(Lanes<T> value) {
  return __builtin_bit_cast(Lanes<typename Ieee<T>::Bits>, value);
}
template <class T> FMHA950_INLINE Lanes<T> from_bits(Lanes<typename Ieee<T>::Bits> bits) {
  return __builtin_bit_cast(Lanes<T>, bits);
}
template <class T> FMHA950_INLINE auto is_nan(Lanes<T> value) {
  if constexpr (sizeof(T) == 2) // no conversion to f32 for a mere test
    return (to_bits<T>(value) & Ieee<T>::magnitude) > Ieee<T>::infinity;
  else
    return value != value;
}
// Whether a lane is one: on AVX-512 a comparison takes two registers.
template <class T> FMHA950_INLINE bool has_nan(T __attribute__((ext_vector_type(wave_lanes))) value) {
  if constexpr (sizeof(T) == 2) return lanes_true(is_nan<T>(value)) != 0; // by its bits
  using Half = T __attribute__((ext_vector_type(wave_lanes / 2)));
  Half low, high;
  __builtin_memcpy(&low, &value, sizeof low);
  __builtin_memcpy(&high, reinterpret_cast<const char*>(&value) + sizeof low, sizeof high);
  return __builtin_reduce_or((low != low) | (high != high)) != 0;
}
template <class T> FMHA950_INLINE auto is_signaling(Lanes<T> value) {
  return is_nan<T>(value) & ((to_bits<T>(value) & Ieee<T>::quiet) == 0);
}
template <class T> FMHA950_INLINE Lanes<T> quieted(Lanes<T> value) {
  return from_bits<T>(is_nan<T>(value) ? to_bits<T>(value) | Ieee<T>::quiet : to_bits<T>(value));
}

template <class T>
[[gnu::noinline, gnu::cold]] static void choose_nans_of(Lanes<T>* result, const Lanes<T>* sources,
                                                        int count) {
  Lanes<typename Ieee<T>::Bits> chosen = Ieee<T>::default_nan;
  for (int i = count; i-- > 0;) chosen = is_nan<T>(sources[i]) ? to_bits<T>(sources[i]) : chosen;
  const auto bits = is_nan<T>(*result) ? chosen | Ieee<T>::quiet : to_bits<T>(*result);
  *result = from_bits<T>(bits);
}

template <class T, class Source>
FMHA950_INLINE void append(Lanes<T>* list, int& count, const Source& source) {
  if constexpr (__is_same(Source, Lanes<T>)) list[count++] = source;
}
// Sources of other types (a shift count, a condition mask) do not take part. The copies keep the values
// themselves in registers on the path without NaNs.
template <class T, class... Sources>
FMHA950_INLINE void choose_nans(T __attribute__((ext_vector_type(wave_lanes))) & result,
                                const Sources&... sources) {
  if (!has_nan<T>(result)) [[likely]]
    return;
  Lanes<T> copy = result, list[sizeof...(Sources) + 1];
  int count = 0;
  (append<T>(list, count, sources), ...);
  choose_nans_of<T>(&copy, list, count);
  result = copy;
}

} // namespace fmha950::isa::FMHA950_SIMD
