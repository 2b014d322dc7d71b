// f16, f32 and f64 arithmetic: families valu_f16, valu_f32, valu_f64, and what of valu_scale and
// valu_division one operation decides.

#include "tests/emulator/semantics/float_math.hpp"

namespace fmha950::semantics {
namespace {

template <class T> T flush(T x) {
  constexpr int exponent_bits = is_half<T> ? 5 : sizeof(T) == 4 ? 8 : 11, bits = 8 * sizeof(T);
  const uint64_t exponent = to_bits(x) << (65 - bits) >> (64 - exponent_bits);
  return exponent == 0 ? static_cast<T>(is_negative(x) ? -0.0 : 0.0) : x;
}
// v_mac_f16 and v_mad_f16 round the product and flush denormals in every MODE (ISA guide, V_MAD_F16).
f16 multiplied_added(f16 a, f16 b, f16 c) { return flush(sum(flush(product(flush(a), flush(b))), flush(c))); }
template <class T> T fraction(T x) {
  constexpr uint64_t below_one = is_half<T> ? 0x3BFF : sizeof(T) == 4 ? 0x3F7FFFFF : 0x3FEFFFFFFFFFFFFF;
  const T whole = static_cast<T>(std::floor(static_cast<f64>(x)));
  const T result = difference(x, whole), limit = from_bits<T>(below_one);
  return result > limit ? limit : result;
}
f32 legacy_product(f32 a, f32 b) { return a == 0 || b == 0 ? 0 : a * b; }

// Cube maps: the major axis is z, else y, else x.
enum class Axis { x, y, z };
Axis major(f32 x, f32 y, f32 z) {
  if (std::fabs(z) >= std::fabs(x) && std::fabs(z) >= std::fabs(y)) return Axis::z;
  return std::fabs(y) >= std::fabs(x) ? Axis::y : Axis::x;
}
f32 cube_face(f32 x, f32 y, f32 z) {
  switch (major(x, y, z)) {
  case Axis::z: return z < 0 ? 5 : 4;
  case Axis::y: return y < 0 ? 3 : 2;
  default: return x < 0 ? 1 : 0;
  }
}
f32 cube_s(f32 x, f32 y, f32 z) {
  switch (major(x, y, z)) {
  case Axis::z: return z < 0 ? -x : x;
  case Axis::y: return x;
  default: return x < 0 ? z : -z;
  }
}
f32 cube_t(f32 x, f32 y, f32 z) {
  if (major(x, y, z) == Axis::y) return y < 0 ? -z : z;
  return -y;
}
f32 cube_axis(f32 x, f32 y, f32 z) {
  const Axis axis = major(x, y, z);
  return 2 * (axis == Axis::z ? z : axis == Axis::y ? y : x);
}

template <class T> T mantissa(T x) {
  int exponent;
  return static_cast<T>(std::frexp(static_cast<f64>(x), &exponent));
}
template <class T> i32 exponent(T x) {
  int exponent = 0;
  if (std::isfinite(static_cast<f64>(x))) std::frexp(static_cast<f64>(x), &exponent);
  return exponent;
}
template <class T> i32 raw_exponent(T x) { // biased; denormals 0
  constexpr int bits = 8 * sizeof(T), mantissa_bits = is_half<T> ? 10 : sizeof(T) == 4 ? 23 : 52;
  return static_cast<i32>(to_bits(x) << (65 - bits) >> (65 - bits) >> mantissa_bits);
}

// The guide's V_DIV_FIXUP, with one more rule:
// a NaN quotient of ordinary operands is an overflow of the macro.
template <class T> T fixed_up(T quotient, T denominator, T numerator) {
  if (is_nan(numerator) || is_nan(denominator)) return nan<T>();
  const bool infinite = std::isinf(static_cast<f64>(numerator)),
             by_infinity = std::isinf(static_cast<f64>(denominator));
  if ((denominator == 0 && numerator == 0) || (infinite && by_infinity)) return nan<T>();
  const T sign = is_negative(numerator) != is_negative(denominator) ? T(-1) : T(1);
  const T infinity = static_cast<T>(__builtin_inff());
  if (denominator == 0 || infinite) return sign * infinity;
  if (by_infinity || numerator == 0) return sign * T(0);
  constexpr int underflow = is_half<T> ? -1000 : sizeof(T) == 4 ? -150 : -1075;
  if (raw_exponent(numerator) - raw_exponent(denominator) < underflow) return sign * T(0);
  if (is_nan(quotient)) return sign * infinity;
  return is_negative(quotient) == (sign < 0) ? quotient : -quotient;
}

template <class T> f64 wide(T x) { return static_cast<f64>(x); }

} // namespace

uint64_t scaled(Type type, uint64_t bits, int exponent) {
  if (type == Type::f16) return to_bits(f16(std::scalbn(wide(from_bits<f16>(bits)), exponent)));
  if (type == Type::f32) return to_bits(std::scalbn(from_bits<f32>(bits), exponent));
  return to_bits(std::scalbn(from_bits<f64>(bits), exponent));
}

References float_references() {
  return {
      reference<f32(f32, f32)>("v_add_f32", [](f32 a, f32 b) { return a + b; }),
      reference<f32(f32, f32)>("v_sub_f32", [](f32 a, f32 b) { return a - b; }),
      reference<f32(f32, f32)>("v_subrev_f32", [](f32 a, f32 b) { return b - a; }),
      reference<f32(f32, f32)>("v_mul_f32", [](f32 a, f32 b) { return a * b; }),
      reference<f32(f32, f32)>("v_mul_legacy_f32", [](f32 a, f32 b) { return legacy_product(a, b); }),
      reference<f32(f32, f32, f32)>("v_fma_f32", [](f32 a, f32 b, f32 c) { return fused(a, b, c); }),
      reference<f32(f32, f32, old<f32>)>("v_fmac_f32",
                                         [](f32 a, f32 b, old<f32> d) { return fused(a, b, d.value); }),
      reference<f32(f32, f32)>("v_min_f32", [](f32 a, f32 b) { return least(a, b); }),
      reference<f32(f32, f32)>("v_max_f32", [](f32 a, f32 b) { return greatest(a, b); }),
      reference<f32(f32, f32, f32)>("v_min3_f32", [](f32 a, f32 b, f32 c) { return least(least(a, b), c); }),
      reference<f32(f32, f32, f32)>("v_max3_f32",
                                    [](f32 a, f32 b, f32 c) { return greatest(greatest(a, b), c); }),
      reference<f32(f32, f32, f32)>("v_med3_f32", [](f32 a, f32 b, f32 c) { return median(a, b, c); }),
      reference<f32(f32, f32, f32)>("v_minimum3_f32",
                                    [](f32 a, f32 b, f32 c) { return minimum(minimum(a, b), c); }),
      reference<f32(f32, f32, f32)>("v_maximum3_f32",
                                    [](f32 a, f32 b, f32 c) { return maximum(maximum(a, b), c); }),
      reference<f32(f32)>("v_floor_f32", [](f32 a) { return std::floor(a); }),
      reference<f32(f32)>("v_ceil_f32", [](f32 a) { return std::ceil(a); }),
      reference<f32(f32)>("v_trunc_f32", [](f32 a) { return std::trunc(a); }),
      reference<f32(f32)>("v_rndne_f32", [](f32 a) { return __builtin_roundevenf(a); }),
      reference<f32(f32)>("v_fract_f32", [](f32 a) { return fraction(a); }),
      reference<f32(f32, f32, f32)>("v_cubeid_f32", [](f32 a, f32 b, f32 c) { return cube_face(a, b, c); }),
      reference<f32(f32, f32, f32)>("v_cubesc_f32", [](f32 a, f32 b, f32 c) { return cube_s(a, b, c); }),
      reference<f32(f32, f32, f32)>("v_cubetc_f32", [](f32 a, f32 b, f32 c) { return cube_t(a, b, c); }),
      reference<f32(f32, f32, f32)>("v_cubema_f32", [](f32 a, f32 b, f32 c) { return cube_axis(a, b, c); }),

      reference<f16(f16, f16)>("v_add_f16", [](f16 a, f16 b) { return sum(a, b); }),
      reference<f16(f16, f16)>("v_sub_f16", [](f16 a, f16 b) { return difference(a, b); }),
      reference<f16(f16, f16)>("v_subrev_f16", [](f16 a, f16 b) { return difference(b, a); }),
      reference<f16(f16, f16)>("v_mul_f16", [](f16 a, f16 b) { return product(a, b); }),
      reference<f16(f16, f16, old<f16>)>(
          "v_mac_f16", [](f16 a, f16 b, old<f16> d) { return multiplied_added(a, b, d.value); }),
      reference<f16(f16, f16, f16)>("v_mad_legacy_f16",
                                    [](f16 a, f16 b, f16 c) { return multiplied_added(a, b, c); }),
      reference<half<f16>(f16, f16, f16)>(
          "v_mad_f16", [](f16 a, f16 b, f16 c) { return half<f16>{multiplied_added(a, b, c)}; }),
      reference<f16(f16, f16, f16)>("v_fma_legacy_f16", [](f16 a, f16 b, f16 c) { return fused(a, b, c); }),
      reference<half<f16>(f16, f16, f16)>("v_fma_f16",
                                          [](f16 a, f16 b, f16 c) { return half<f16>{fused(a, b, c)}; }),
      reference<f16(f16, f16)>("v_min_f16", [](f16 a, f16 b) { return least(a, b); }),
      reference<f16(f16, f16)>("v_max_f16", [](f16 a, f16 b) { return greatest(a, b); }),
      reference<half<f16>(f16, f16, f16)>(
          "v_min3_f16", [](f16 a, f16 b, f16 c) { return half<f16>{least(least(a, b), c)}; }),
      reference<half<f16>(f16, f16, f16)>(
          "v_max3_f16", [](f16 a, f16 b, f16 c) { return half<f16>{greatest(greatest(a, b), c)}; }),
      reference<half<f16>(f16, f16, f16)>("v_med3_f16",
                                          [](f16 a, f16 b, f16 c) { return half<f16>{median(a, b, c)}; }),
      reference<f16(f16)>("v_floor_f16", [](f16 a) { return f16(std::floor(wide(a))); }),
      reference<f16(f16)>("v_ceil_f16", [](f16 a) { return f16(std::ceil(wide(a))); }),
      reference<f16(f16)>("v_trunc_f16", [](f16 a) { return f16(std::trunc(wide(a))); }),
      reference<f16(f16)>("v_rndne_f16", [](f16 a) { return f16(__builtin_roundeven(wide(a))); }),
      reference<f16(f16)>("v_fract_f16", [](f16 a) { return fraction(a); }),
      with_op_sel(reference<u32(f16, f16)>("v_pack_b32_f16",
                                           [](f16 a, f16 b) { return u32(to_bits(a) | to_bits(b) << 16); })),

      reference<f64(f64, f64)>("v_add_f64", [](f64 a, f64 b) { return a + b; }),
      reference<f64(f64, f64)>("v_mul_f64", [](f64 a, f64 b) { return a * b; }),
      reference<f64(f64, f64, f64)>("v_fma_f64", [](f64 a, f64 b, f64 c) { return fused(a, b, c); }),
      reference<f64(f64, f64, old<f64>)>("v_fmac_f64",
                                         [](f64 a, f64 b, old<f64> d) { return fused(a, b, d.value); }),
      reference<f64(f64, f64)>("v_min_f64", [](f64 a, f64 b) { return least(a, b); }),
      reference<f64(f64, f64)>("v_max_f64", [](f64 a, f64 b) { return greatest(a, b); }),
      reference<f64(f64)>("v_floor_f64", [](f64 a) { return std::floor(a); }),
      reference<f64(f64)>("v_ceil_f64", [](f64 a) { return std::ceil(a); }),
      reference<f64(f64)>("v_trunc_f64", [](f64 a) { return std::trunc(a); }),
      reference<f64(f64)>("v_rndne_f64", [](f64 a) { return __builtin_roundeven(a); }),
      reference<f64(f64)>("v_fract_f64", [](f64 a) { return fraction(a); }),

      reference<f16(f16)>("v_frexp_mant_f16", [](f16 a) { return mantissa(a); }),
      reference<f32(f32)>("v_frexp_mant_f32", [](f32 a) { return mantissa(a); }),
      reference<f64(f64)>("v_frexp_mant_f64", [](f64 a) { return mantissa(a); }),
      reference<i16(f16)>("v_frexp_exp_i16_f16", [](f16 a) { return i16(exponent(a)); }),
      reference<i32(f32)>("v_frexp_exp_i32_f32", [](f32 a) { return exponent(a); }),
      reference<i32(f64)>("v_frexp_exp_i32_f64", [](f64 a) { return exponent(a); }),
      reference<f16(f16, i16)>("v_ldexp_f16", [](f16 a, i16 n) { return f16(std::scalbn(wide(a), n)); }),
      reference<f32(f32, i32)>("v_ldexp_f32", [](f32 a, i32 n) { return std::scalbn(a, n); }),
      reference<f64(f64, i32)>("v_ldexp_f64", [](f64 a, i32 n) { return std::scalbn(a, n); }),

      reference<f16(f16, f16, f16)>("v_div_fixup_legacy_f16",
                                    [](f16 q, f16 d, f16 n) { return fixed_up(q, d, n); }),
      reference<half<f16>(f16, f16, f16)>("v_div_fixup_f16",
                                          [](f16 q, f16 d, f16 n) { return half<f16>{fixed_up(q, d, n)}; }),
      reference<f32(f32, f32, f32)>("v_div_fixup_f32", [](f32 q, f32 d, f32 n) { return fixed_up(q, d, n); }),
      reference<f64(f64, f64, f64)>("v_div_fixup_f64", [](f64 q, f64 d, f64 n) { return fixed_up(q, d, n); }),
  };
}

} // namespace fmha950::semantics
