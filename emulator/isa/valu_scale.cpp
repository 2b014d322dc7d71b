// Exponents and mantissas: v_frexp_*, v_ldexp_*; and v_trig_preop_f64.

#include "emulator/isa/families.hpp"
#include "emulator/isa/nan.hpp"
#include "emulator/isa/valu.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using H = Lanes<f16>;
using V = Lanes<f32>;
using D = Lanes<f64>;

// x = mantissa * 2^exponent with the mantissa in [1/2, 1); zeros, infinities and NaNs are their own mantissa.
template <class T> struct Split {
  using Format = Ieee<T>;
  using Bits = Lanes<typename Format::Bits>;
  Bits bits;
  Bits scaled; // denormals made normal
  decltype(Bits{} == Bits{}) special, denormal;

  FMHA950_INLINE explicit Split(Lanes<T> x) : bits(to_bits<T>(x)), scaled(bits) {
    const Bits magnitude = bits & Format::magnitude;
    special = (magnitude == 0) | (magnitude >= Format::infinity);
    denormal = magnitude <= Format::fraction;
    const Bits up =
        typename Format::Bits(typename Format::Bits(Format::bias + Format::mantissa) << Format::mantissa);
    scaled = denormal ? to_bits<T>(x * from_bits<T>(up)) : bits;
  }
  FMHA950_INLINE Lanes<T> mantissa() const {
    const Bits half = typename Format::Bits(typename Format::Bits(Format::bias - 1) << Format::mantissa);
    const Bits result = (scaled & typename Format::Bits(~Format::infinity)) | half;
    return quieted<T>(from_bits<T>(special ? bits : result));
  }
  FMHA950_INLINE Lanes<i32> exponent() const {
    const auto raw = __builtin_convertvector((scaled & Format::infinity) >> Format::mantissa, Lanes<i32>);
    const auto scaling = __builtin_convertvector(denormal, Lanes<i32>) & Format::mantissa;
    const auto is_special = __builtin_convertvector(special, Lanes<i32>);
    return is_special ? Lanes<i32>(0) : raw - (Format::bias - 1) - scaling;
  }
};
FMHA950_INLINE V single(H x) { return __builtin_convertvector(x, V); } // every half is a normal f32

FMHA950_INLINE Lanes<i32> limited(Lanes<i32> x, int limit) {
  const Lanes<i32> below = x > limit ? Lanes<i32>(limit) : x;
  return below < -limit ? Lanes<i32>(-limit) : below;
}
FMHA950_INLINE D power_of_two(Lanes<i32> exponent) { // of a normal f64
  return from_bits<f64>(__builtin_convertvector(exponent + 1023, Lanes<u64>) << 52);
}
// Exact in f64, whose range is wide enough, then rounded once.
FMHA950_INLINE V scale(V x, Lanes<i32> exponent) {
  return __builtin_convertvector(__builtin_convertvector(x, D) * power_of_two(limited(exponent, 400)), V);
}
FMHA950_INLINE H scale(H x, Lanes<i16> exponent) {
  const auto power = power_of_two(limited(__builtin_convertvector(exponent, Lanes<i32>), 100));
  return __builtin_convertvector(single(x) * __builtin_convertvector(power, V), H);
}
// In three steps of at most 2^969, so that only the last one can round: 969 = 1022 - 53 leaves room for a
// denormal result's bits.
FMHA950_INLINE D scale(D x, Lanes<i32> exponent) {
  Lanes<i32> left = limited(exponent, 2200);
  for (int step = 0; step < 2; ++step) {
    const Lanes<i32> part = limited(left, 969),
                     take = ((left > 1023) | (left < -1022)) ? part : Lanes<i32>(0);
    x = x * power_of_two(take);
    left -= take;
  }
  return x * power_of_two(left);
}

// Bits 1200..0 of 2/pi times 2^1201, most significant word first.
constexpr u64 two_over_pi[] = {0xA2F9836E4E441529, 0xFC2757D1F534DDC0, 0xDB6295993C439041, 0xFE5163ABDEBBC561,
                               0xB7246E3A424DD2E0, 0x06492EEA09D1921C, 0xFE1DEB1CB129A73E, 0xE88235F52EBB4484,
                               0xE99C7026B45F7E41, 0x3991D639835339F4, 0x9C845F8BBDF9283B, 0x1FF897FFDE05980F,
                               0xEF2F118B5A0A6D1F, 0x6D367ECF27CB09B7, 0x4F463F669E5FEA2D, 0x7527BAC7EBE5F17B,
                               0x3D0739F78A5292EA, 0x6BFB5FB11F8D5D08, 0x56033046FC7B0000};
// 53 bits of 2/pi from bit `shift` on, as V_TRIG_PREOP_F64 of the ISA guide.
u64 bits_of_two_over_pi(unsigned shift) {
  const unsigned word = shift / 64, offset = shift % 64;
  const auto at = [](unsigned index) { return index < sizeof two_over_pi / 8 ? two_over_pi[index] : 0; };
  const u64 window = offset ? at(word) << offset | at(word + 1) >> (64 - offset) : at(word);
  return window >> 11;
}
FMHA950_INLINE D trig_preop(D x, Lanes<u32> segment) {
  D result;
  Lanes<i32> scaling;
  for (int l = 0; l < wave_lanes; ++l) {
    const int exponent = static_cast<int>(to_bits<f64>(x)[l] >> 52 & 0x7FF);
    int shift = static_cast<int>(segment[l] & 31) * 53;
    if (exponent > 1077) shift += exponent - 1077;
    result[l] = static_cast<f64>(bits_of_two_over_pi(static_cast<unsigned>(shift)));
    scaling[l] = -53 - shift + (exponent >= 1968 ? 128 : 0);
  }
  return scale(result, scaling);
}

constexpr Row table[] = {
    valu<raw<f16>(f16)>("v_frexp_mant_f16",
                        [](H x) { return __builtin_convertvector(Split<f32>(single(x)).mantissa(), H); }),
    valu<i16(f16)>("v_frexp_exp_i16_f16",
                   [](H x) { return __builtin_convertvector(Split<f32>(single(x)).exponent(), Lanes<i16>); }),
    valu<raw<f32>(f32)>("v_frexp_mant_f32", [](V x) { return Split<f32>(x).mantissa(); }),
    valu<i32(f32)>("v_frexp_exp_i32_f32", [](V x) { return Split<f32>(x).exponent(); }),
    valu<raw<f64>(f64)>("v_frexp_mant_f64", [](D x) { return Split<f64>(x).mantissa(); }),
    valu<i32(f64)>("v_frexp_exp_i32_f64", [](D x) { return Split<f64>(x).exponent(); }),
    valu<f16(f16, i16)>("v_ldexp_f16", [](H x, Lanes<i16> n) { return scale(x, n); }),
    valu<f32(f32, i32)>("v_ldexp_f32", [](V x, Lanes<i32> n) { return scale(x, n); }),
    valu<f64(f64, i32)>("v_ldexp_f64", [](D x, Lanes<i32> n) { return scale(x, n); }),
    valu<f64(f64, u32)>("v_trig_preop_f64", [](D x, Lanes<u32> segment) { return trig_preop(x, segment); }),
};

} // namespace

const Rows rows_valu_scale = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
