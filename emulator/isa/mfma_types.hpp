#pragma once
// Element types of matrix operands: how many bits an item has, and how a vector of items becomes what the
// multiply-add works on. Decoding agrees bit for bit with numerics (tested over all codes), which is
// the scalar definition.
#include "emulator/isa/vector.hpp"
#include "numerics/mfma_arithmetic.hpp"

namespace fmha950::isa::FMHA950_SIMD {

template <class T, int N> using Vector = T __attribute__((ext_vector_type(N)));

template <class T, int N> FMHA950_INLINE Vector<T, N> load_vector(const void* pointer) {
  Vector<T, N> value;
  __builtin_memcpy(&value, pointer, sizeof value);
  return value;
}
template <class V> FMHA950_INLINE void store_vector(void* pointer, V value) {
  __builtin_memcpy(pointer, &value, sizeof value);
}
template <int N> FMHA950_INLINE Vector<float, N> as_float(Vector<uint32_t, N> bits) {
  return __builtin_bit_cast(Vector<float, N>, bits);
}
template <int N> FMHA950_INLINE Vector<uint32_t, N> as_bits(Vector<float, N> value) {
  return __builtin_bit_cast(Vector<uint32_t, N>, value);
}

// Every type's widen() takes items in the low bits of words whose upper bits are arbitrary.

struct F32 {
  static constexpr int width = 32;
  static constexpr bool has_lookup = false;
  using Element = float;
  template <int N> FMHA950_INLINE static Vector<float, N> widen(Vector<uint32_t, N> raw) {
    return as_float<N>(raw);
  }
};

struct Bf16 {
  static constexpr int width = 16;
  static constexpr bool has_lookup = false;
  using Element = float;
  template <int N> FMHA950_INLINE static Vector<float, N> widen(Vector<uint32_t, N> raw) {
    return as_float<N>(raw << 16);
  }
};

struct I8 {
  static constexpr int width = 8;
  static constexpr bool has_lookup = false;
  using Element = uint32_t; // two's complement: products and sums wrap
  template <int N> FMHA950_INLINE static Vector<uint32_t, N> widen(Vector<uint32_t, N> raw) {
    return __builtin_bit_cast(Vector<uint32_t, N>, __builtin_bit_cast(Vector<int32_t, N>, raw << 24) >> 24);
  }
};

/// Why results of a matrix row may differ from the silicon's; integers and chains of f32 FMAs are known (facts 1.2).
template <class A>
constexpr const char* open_sums =
    __is_same(A, I8) || __is_same(A, F32) ? nullptr : "how the silicon sums is not public (FMHA950_MFMA)";

/// The vector form of numerics::decode.
template <class F> struct Small {
  using Format = F;
  static constexpr int width = Format::width;
  static constexpr bool has_lookup = width <= 8; // mfma_lookup.hpp
  using Element = float;
  template <int N> FMHA950_INLINE static Vector<float, N> widen(Vector<uint32_t, N> raw) {
    constexpr uint32_t one = 1u << 23, smallest_normal = uint32_t(127 + Format::min_exponent) << 23;
    constexpr int shift = 23 - Format::mantissa_bits;
    const Vector<uint32_t, N> magnitude = raw & Format::magnitude_mask;
    const Vector<uint32_t, N> sign = raw << (32 - width) & numerics::f32_sign_mask;
    const Vector<uint32_t, N> normal = (magnitude << shift) + (smallest_normal - one);
    // A subnormal's bits below an explicit hidden one, less that one: exact and without a host subnormal.
    const Vector<float, N> subnormal = as_float<N>(normal + one) - numerics::float_of(smallest_normal);
    Vector<uint32_t, N> bits = magnitude < (1u << Format::mantissa_bits) ? as_bits<N>(subnormal) : normal;
    if constexpr (Format::specials == numerics::Specials::ieee) {
      const Vector<uint32_t, N> special = magnitude << shift | numerics::f32_infinity;
      bits = magnitude >= Format::infinity ? special : bits;
      bits = magnitude > Format::infinity ? bits | numerics::f32_quiet_bit : bits;
    } else if constexpr (Format::specials == numerics::Specials::nan_only) {
      bits = magnitude > Format::max_finite ? bits - bits + (numerics::f32_infinity | numerics::f32_quiet_bit)
                                            : bits;
    }
    return as_float<N>(bits | sign);
  }
};
using Fp8 = Small<numerics::Fp8>;
using Bf8 = Small<numerics::Bf8>;
template <class A> constexpr bool is_fp8 = __is_same(A, Fp8) || __is_same(A, Bf8);
using Fp6 = Small<numerics::Fp6>;
using Bf6 = Small<numerics::Bf6>;
using Fp4 = Small<numerics::Fp4>;

struct F16 {
  static constexpr int width = 16;
  static constexpr bool has_lookup = false;
  using Element = float;
  template <int N> FMHA950_INLINE static Vector<float, N> widen(Vector<uint32_t, N> raw) {
#ifdef __F16C__ // exact, subnormals included, and quiets NaN as numerics::decode does
    const auto half = __builtin_convertvector(raw, Vector<uint16_t, N>);
    return __builtin_convertvector(__builtin_bit_cast(Vector<_Float16, N>, half), Vector<float, N>);
#else
    return Small<numerics::Fp16>::widen<N>(raw);
#endif
  }
};

} // namespace fmha950::isa::FMHA950_SIMD
