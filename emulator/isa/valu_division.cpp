// The division macro: v_div_scale, v_div_fmas, v_div_fixup (ISA guide 12, VOP3). scale keeps the
// intermediate values of Newton's method normal, fmas undoes that, fixup replaces the special cases.

#include "emulator/isa/families.hpp"
#include "emulator/isa/float_math.hpp"
#include "emulator/isa/valu.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

template <class T> struct Macro; // limits of the guide's pseudo-code
template <> struct Macro<f16> {
  static constexpr int underflow = -64; // beyond every exponent: f16 has no such case
};
template <> struct Macro<f32> {
  static constexpr int scale = 64, large_quotient = 96, tiny_numerator = 23, underflow = -150;
};
template <> struct Macro<f64> {
  static constexpr int scale = 128, large_quotient = 768, tiny_numerator = 53, underflow = -1075;
};

template <class T> using Bits = Lanes<typename Ieee<T>::Bits>;
template <class T> FMHA950_INLINE Bits<T> magnitude(Lanes<T> x) { return to_bits<T>(x) & Ieee<T>::magnitude; }
template <class T> using Signed = decltype(Bits<T>{} == Bits<T>{}); // lanes of the comparison's type
template <class T> FMHA950_INLINE Signed<T> exponent(Lanes<T> x) {  // biased; denormals 0
  return __builtin_bit_cast(Signed<T>, magnitude<T>(x) >> Ieee<T>::mantissa);
}
template <class T> FMHA950_INLINE Signed<T> is_denormal(Lanes<T> x) {
  return (magnitude<T>(x) != 0) & (magnitude<T>(x) <= Ieee<T>::fraction);
}
template <class T> FMHA950_INLINE Lanes<T> power_of_two(int exponent) {
  using Word = typename Ieee<T>::Bits;
  return from_bits<T>(Bits<T>(static_cast<Word>(Word(exponent + Ieee<T>::bias) << Ieee<T>::mantissa)));
}

// In the f32 form, too, the guide tests 1/denominator for a denormal f64, which no f32 gives, and scales
// a huge denominator up. Here the test is for a denormal T, and such a denominator is scaled down,
// as the macro needs it.
template <class T>
FMHA950_INLINE WithMask<T> divide_scale(Lanes<T> value, Lanes<T> denominator, Lanes<T> numerator) {
  using Limits = Macro<T>;
  const Lanes<T> up = value * power_of_two<T>(Limits::scale), down = value * power_of_two<T>(-Limits::scale);
  const auto of_denominator = to_bits<T>(value) == to_bits<T>(denominator);
  const auto of_numerator = to_bits<T>(value) == to_bits<T>(numerator);
  const auto zero = (magnitude<T>(denominator) == 0) | (magnitude<T>(numerator) == 0);
  const auto large = exponent<T>(numerator) - exponent<T>(denominator) >= Limits::large_quotient;
  const auto small_inverse = is_denormal<T>(1 / denominator),
             small_quotient = is_denormal<T>(numerator / denominator);

  // In the order of the guide, last condition first.
  Lanes<T> result = exponent<T>(numerator) <= Limits::tiny_numerator ? up : value;
  result = small_quotient ? (of_numerator ? up : value) : result;
  result = small_inverse ? down : result;
  result = (small_inverse & small_quotient) ? (of_denominator ? down : value) : result;
  result = is_denormal<T>(denominator) ? up : result;
  result = large ? (of_denominator ? up : value) : result;
  result = zero ? from_bits<T>(Bits<T>(Ieee<T>::default_nan)) : result;
  const auto post_scale = ~zero & (large | (~is_denormal<T>(denominator) & small_quotient));
  return {result, lanes_true(post_scale)};
}

// What fma(a, b, c) = rounded lost: Boldo and Muller's ErrFma. Only the sign matters here.
template <class T> FMHA950_INLINE Lanes<T> fma_error(Lanes<T> a, Lanes<T> b, Lanes<T> c, Lanes<T> rounded) {
  struct Sum {
    Lanes<T> high, low;
    FMHA950_INLINE Sum(Lanes<T> x, Lanes<T> y) : high(x + y) {
      const Lanes<T> from_y = high - x;
      low = (x - (high - from_y)) + (y - from_y);
    }
  };
  const Lanes<T> product = a * b, product_error = fma<T>(a, b, -product);
  const Sum small(c, product_error), large(product, small.high);
  return ((large.high - rounded) + large.low) + small.low;
}

// The guide multiplies by 2^32 (2^64); the scaling above asks for 2^64 (2^128) up or down, told apart by the
// quotient's exponent. LLVM relies on correctly rounded denormal quotients, so the two steps round once:
// where scaling down meets a tie that the first rounding made, what that lost decides.
template <class T>
FMHA950_INLINE Lanes<T> divide_fmas(Lanes<T> a, Lanes<T> b, Lanes<T> c, uint64_t post_scale) {
  const Lanes<T> quotient = fma<T>(a, b, c);
  if (post_scale == 0) return quotient;
  const Lanes<T> up = power_of_two<T>(Macro<T>::scale), down = power_of_two<T>(-Macro<T>::scale);
  if (!rounds_to_nearest()) [[unlikely]]
    return blend<T>(quotient, exponent<T>(c) > Ieee<T>::bias ? quotient * up : quotient * down, post_scale);
  const Lanes<T> lost = fma_error<T>(a, b, c, quotient);
  const Lanes<T> lowered = quotient * down, residue = quotient - lowered * up;
  const auto away = (residue < 0) == (quotient < 0) ? Bits<T>(1) : Bits<T>(-1);
  const Lanes<T> neighbour = from_bits<T>(to_bits<T>(lowered) + away);
  const auto tie = (residue != 0) & (neighbour * up - quotient == residue);
  const Lanes<T> once_rounded = (tie & (lost != 0) & ((lost < 0) == (residue < 0))) ? neighbour : lowered;
  const Lanes<T> scaled = exponent<T>(c) > Ieee<T>::bias ? quotient * up : once_rounded;
  return blend<T>(quotient, scaled, post_scale);
}

template <class T>
FMHA950_INLINE Lanes<T> divide_fixup(Lanes<T> quotient, Lanes<T> denominator, Lanes<T> numerator) {
  const Bits<T> sign = (to_bits<T>(denominator) ^ to_bits<T>(numerator)) & Ieee<T>::sign;
  const Bits<T> d = magnitude<T>(denominator), n = magnitude<T>(numerator), zero = 0,
                infinity = Ieee<T>::infinity;
  // A NaN that the operands do not explain is an overflow inside the macro (the guide leaves it out;
  // tinygrad's emulator has the same correction from runs on RDNA3).
  Bits<T> result = is_nan<T>(quotient) ? infinity : magnitude<T>(quotient);
  result = exponent<T>(numerator) - exponent<T>(denominator) < Macro<T>::underflow ? zero : result;
  result = ((d == infinity) | (n == 0)) ? zero : result;
  result = ((d == 0) | (n == infinity)) ? infinity : result;
  result |= sign;
  const auto invalid = ((d == 0) & (n == 0)) | ((d == infinity) & (n == infinity));
  result = invalid ? Bits<T>(typename Ieee<T>::Bits(Ieee<T>::default_nan | Ieee<T>::sign)) : result;
  result = is_nan<T>(denominator) ? to_bits<T>(quieted<T>(denominator)) : result;
  return from_bits<T>(is_nan<T>(numerator) ? to_bits<T>(quieted<T>(numerator)) : result);
}

constexpr Row table[] = {
    valu<carry<f32>(f32, f32, f32)>("v_div_scale_f32",
                                    [](auto v, auto d, auto n) { return divide_scale<f32>(v, d, n); }),
    valu<carry<f64>(f64, f64, f64)>("v_div_scale_f64",
                                    [](auto v, auto d, auto n) { return divide_scale<f64>(v, d, n); }),
    valu<f32(f32, f32, f32, vcc)>(
        "v_div_fmas_f32", [](auto a, auto b, auto c, uint64_t m) { return divide_fmas<f32>(a, b, c, m); }),
    valu<f64(f64, f64, f64, vcc)>(
        "v_div_fmas_f64", [](auto a, auto b, auto c, uint64_t m) { return divide_fmas<f64>(a, b, c, m); }),
    valu<raw<f16>(f16, f16, f16)>("v_div_fixup_legacy_f16",
                                  [](auto q, auto d, auto n) { return divide_fixup<f16>(q, d, n); }),
    valu<half<f16>(f16, f16, f16)>("v_div_fixup_f16",
                                   [](auto q, auto d, auto n) { return divide_fixup<f16>(q, d, n); }),
    valu<raw<f32>(f32, f32, f32)>("v_div_fixup_f32",
                                  [](auto q, auto d, auto n) { return divide_fixup<f32>(q, d, n); }),
    valu<raw<f64>(f64, f64, f64)>("v_div_fixup_f64",
                                  [](auto q, auto d, auto n) { return divide_fixup<f64>(q, d, n); }),
};

} // namespace

const Rows rows_valu_division = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
