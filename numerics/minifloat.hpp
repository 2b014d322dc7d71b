#pragma once
// One description for every floating-point format narrower than bf16, and one decoder and one encoder for all
// of them, with a shorter way of the most frequent encoding. Integer arithmetic only, but for that: the bits do not
// depend on the host's rounding mode, denormal flushing or F16C. The bodies are branch-free, so that loops over 64 lanes
// become vector code.
#include <cstdint>

// Always inlined: the device's instruction tables are compiled once per vector width, and a shared
// out-of-line copy of one of these functions could carry AVX-512 code to a host without it.
#define FMHA950_NUMERIC [[gnu::always_inline]] constexpr

namespace fmha950::numerics {

/// What the topmost codes of a format mean.
enum class Specials {
  ieee,     ///< all-ones exponent: infinity and NaN (fp16, bf8)
  nan_only, ///< all ones is NaN, everything below is finite (fp8 e4m3fn)
  none,     ///< every code is finite (fp6, bf6, fp4)
};

/// A format of 1 sign bit, ExponentBits and MantissaBits. Magnitude codes are ordered as their values are.
template <int ExponentBits, int MantissaBits, int Bias, Specials Kind> struct Minifloat {
  static constexpr int width = 1 + ExponentBits + MantissaBits;
  static constexpr int mantissa_bits = MantissaBits;
  static constexpr int bias = Bias;
  static constexpr int min_exponent = 1 - Bias; ///< of the smallest normal; subnormals share it
  static constexpr Specials specials = Kind;
  static constexpr uint32_t sign_mask = 1u << (width - 1);
  static constexpr uint32_t magnitude_mask = sign_mask - 1;
  static constexpr uint32_t exponent_mask = magnitude_mask >> MantissaBits << MantissaBits;
  static constexpr uint32_t infinity = exponent_mask; ///< only where Kind is ieee
  static constexpr uint32_t max_finite = Kind == Specials::ieee       ? exponent_mask - 1
                                         : Kind == Specials::nan_only ? magnitude_mask - 1
                                                                      : magnitude_mask;
};

using Fp16 = Minifloat<5, 10, 15, Specials::ieee>;
using Fp8 = Minifloat<4, 3, 7, Specials::nan_only>; // OCP e4m3fn
using Bf8 = Minifloat<5, 2, 15, Specials::ieee>;    // OCP e5m2
using Fp6 = Minifloat<2, 3, 1, Specials::none>;     // OCP e2m3
using Bf6 = Minifloat<3, 2, 3, Specials::none>;     // OCP e3m2
using Fp4 = Minifloat<2, 1, 1, Specials::none>;     // OCP e2m1

inline constexpr uint32_t f32_sign_mask = 0x80000000u;
inline constexpr uint32_t f32_infinity = 0x7f800000u;
inline constexpr uint32_t f32_quiet_bit = 0x00400000u;

FMHA950_NUMERIC uint32_t bits_of(float x) { return __builtin_bit_cast(uint32_t, x); }
FMHA950_NUMERIC float float_of(uint32_t bits) { return __builtin_bit_cast(float, bits); }

/// Exact. Bits above the format's width are ignored; NaN comes back quiet with its sign and payload.
template <class F> FMHA950_NUMERIC float decode(uint32_t code) {
  constexpr int shift = 23 - F::mantissa_bits;
  const uint32_t magnitude = code & F::magnitude_mask;
  const uint32_t sign = (code & F::sign_mask) << (32 - F::width);
  const uint32_t normal = (magnitude << shift) + (uint32_t(127 - F::bias) << 23);
  // A subnormal is an integer multiple of the smallest one:
  // int -> float normalises it without host denormals.
  const float smallest = float_of(uint32_t(127 + F::min_exponent - F::mantissa_bits) << 23);
  const uint32_t subnormal = bits_of(float(int32_t(magnitude)) * smallest);
  uint32_t bits = magnitude > F::magnitude_mask >> (F::width - 1 - F::mantissa_bits) ? normal : subnormal;
  if constexpr (F::specials == Specials::ieee) {
    const uint32_t special = f32_infinity | magnitude << shift;
    bits = magnitude == F::infinity ? f32_infinity : bits;
    bits = magnitude > F::infinity ? (special & 0x7fffffffu) | f32_quiet_bit : bits;
  } else if constexpr (F::specials == Specials::nan_only) {
    bits = magnitude > F::max_finite ? f32_infinity | f32_quiet_bit : bits;
  }
  return float_of(bits | sign);
}

/// A finite f32 as significand * 2^(exponent-23), the leading one at bit 23
/// (also for f32 subnormals; 0 for zero).
struct Parts {
  uint32_t significand;
  int32_t exponent;
};
FMHA950_NUMERIC Parts parts_of(float x) {
  const uint32_t magnitude = bits_of(x) & 0x7fffffffu;
  const uint32_t renormalised = bits_of(float(int32_t(magnitude & 0x007fffffu)));
  const bool subnormal = magnitude < 0x00800000u;
  const uint32_t bits = subnormal ? renormalised : magnitude;
  const int32_t exponent = int32_t(bits >> 23) - (subnormal ? 127 + 149 : 127);
  return {magnitude == 0 ? 0 : (bits & 0x007fffffu) | 0x00800000u, exponent};
}

/// Rounding of a 24-bit significand to MantissaBits after `extra` (0..25) bits are lost to a
/// subnormal result. The carry of a rounding-up runs into the exponent by itself, because the caller
/// adds and does not OR.
template <int MantissaBits> struct NearestEven {
  FMHA950_NUMERIC uint32_t operator()(uint32_t significand, uint32_t extra) const {
    constexpr uint32_t enough = MantissaBits + 2; // to round any 24-bit significand down to zero
    const uint32_t shift = 23 - MantissaBits + (extra < enough ? extra : enough);
    return (significand + ((1u << (shift - 1)) - 1) + (significand >> shift & 1)) >> shift;
  }
};
template <int MantissaBits> struct TowardZero {
  FMHA950_NUMERIC uint32_t operator()(uint32_t significand, uint32_t extra) const {
    return significand >> extra >> (23 - MantissaBits);
  }
};
/// Rounding directions, numbered as in MODE (machine_gfx950.md section 1.3).
enum class Rounding : uint8_t { nearest_even, up, down, toward_zero };
/// Away from zero or toward it: what `up` and `down` are for one sign.
template <int MantissaBits> struct Directed {
  bool away;
  FMHA950_NUMERIC uint32_t operator()(uint32_t significand, uint32_t extra) const {
    const uint32_t shift = 23 - MantissaBits + extra;
    const uint64_t lost = (uint64_t{1} << shift) - 1;
    return uint32_t((significand + (away ? lost : 0)) >> shift);
  }
};
/// Facts 4.1, 4.2: the significand is shifted first, then the top 23-M random bits are added, then truncated.
template <int MantissaBits> struct Stochastic {
  uint32_t seed;
  FMHA950_NUMERIC uint32_t operator()(uint32_t significand, uint32_t extra) const {
    return ((significand >> extra) + (seed >> (9 + MantissaBits))) >> (23 - MantissaBits);
  }
};

/// Magnitude codes for what has no finite code:
/// beyond the largest finite value after rounding, infinity, NaN.
struct OutOfRange {
  uint32_t overflow, infinity, nan;
};

/// x / 2^scale_exponent in format F with one single rounding. Sign kept, also of zero and NaN.
template <class F, class Round>
FMHA950_NUMERIC uint32_t encode(float x, int32_t scale_exponent, Round round, OutOfRange out) {
  const uint32_t magnitude = bits_of(x) & 0x7fffffffu;
  const Parts parts = parts_of(x);
  const int32_t exponent = parts.exponent - scale_exponent;
  const int32_t below = F::min_exponent - exponent;
  const uint32_t extra = below < 0 ? 0 : below > 25 ? 25 : uint32_t(below);
  // A normal significand carries its hidden bit, which counts as one step of the exponent.
  const uint32_t steps = below < 0 ? uint32_t(-below) : 0;
  uint32_t code = parts.significand == 0 ? 0 : (steps << F::mantissa_bits) + round(parts.significand, extra);
  code = code > F::max_finite ? out.overflow : code;
  code = magnitude == f32_infinity ? out.infinity : code;
  code = magnitude > f32_infinity ? out.nan : code;
  return code | (bits_of(x) & f32_sign_mask) >> (32 - F::width);
}

/// encode() without a scale, to nearest even, at half its instructions: what becomes subnormal is rounded by an addition
/// of the host, which has to round to nearest, as it does by default.
template <class F> FMHA950_NUMERIC uint32_t encode_nearest(float x, OutOfRange out) {
  constexpr int shift = 23 - F::mantissa_bits;
  constexpr uint32_t smallest_normal = uint32_t(127 + F::min_exponent) << 23;
  // Its last bit is worth F's smallest subnormal.
  constexpr uint32_t unit = uint32_t(127 + F::min_exponent + shift) << 23;
  const uint32_t magnitude = bits_of(x) & 0x7fffffffu;
  const uint32_t subnormal = bits_of(float_of(magnitude) + float_of(unit)) - unit;
  const uint32_t rounded = magnitude + ((1u << (shift - 1)) - 1) + (magnitude >> shift & 1);
  const uint32_t normal = (rounded >> shift) - (uint32_t(127 - F::bias) << F::mantissa_bits);
  uint32_t code = magnitude < smallest_normal ? subnormal : normal;
  code = code > F::max_finite ? out.overflow : code;
  code = magnitude == f32_infinity ? out.infinity : code;
  code = magnitude > f32_infinity ? out.nan : code;
  return code | (bits_of(x) & f32_sign_mask) >> (32 - F::width);
}

} // namespace fmha950::numerics
