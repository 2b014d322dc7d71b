// Conversions among integers, f16, bf16, f32 and f64 (ISA guide 12: VOP1, VOP2, VOP3).
#include "emulator/isa/convert.hpp"
#include "emulator/isa/families.hpp"
#include "emulator/isa/float_math.hpp"
#include "emulator/machine/launch.hpp"
#include "emulator/machine/workgroup.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using F = Lanes<f32>;
using D = Lanes<f64>;
using H = Lanes<f16>;
using U = Lanes<u32>;
using I = Lanes<i32>;

/// Float to integer toward zero; out of range saturates, NaN gives 0.
template <class Int, class Float> FMHA950_INLINE Lanes<Int> truncated(Lanes<Float> x) {
  using Wide = std::conditional_t<sizeof(Float) == 8, i64, i32>; // comparison results of Float
  constexpr bool is_signed = Int(-1) < Int(0);
  constexpr int bits = static_cast<int>(sizeof(Int)) * 8 - (is_signed ? 1 : 0);
  constexpr Float limit = static_cast<Float>(1ull << bits);
  constexpr Int largest = static_cast<Int>((1ull << bits) - 1),
                smallest = is_signed ? static_cast<Int>(-largest - 1) : Int(0);
  const Float lowest = is_signed ? -limit : Float(-1);
  // -2^31 - 0.5 is an f64 that truncates into range; it must not take the path of the out-of-range ones.
  const Lanes<Float> whole = __builtin_elementwise_trunc(x);
  const Lanes<Wide> above = whole >= limit, below = is_signed ? whole < lowest : whole <= lowest,
                    nan = x != x;
  const auto inside = (above | below | nan) != 0 ? Lanes<Float>{} : whole;
  const auto narrowed = [](Lanes<Wide> mask) __attribute__((always_inline)) {
    return __builtin_convertvector(mask, Lanes<std::make_signed_t<Int>>);
  };
  Lanes<Int> result = __builtin_convertvector(inside, Lanes<Int>);
  result = narrowed(above) ? Lanes<Int>(largest) : result;
  return narrowed(below) ? Lanes<Int>(smallest) : result;
}

FMHA950_INLINE F wide(H x) {
  return per_lane<f32>([](u16 code) { return numerics::f32_from_f16(code); },
                       __builtin_bit_cast(Lanes<u16>, x));
}
/// Rounded by MODE's field for f16 (ISA guide, V_CVT_F16_F32).
FMHA950_INLINE H half_of(F x, Controls c) {
  const auto codes =
      c.rounding == numerics::Rounding::nearest_even
          ? per_lane<u16>([c](f32 v) { return numerics::f16_from_f32(v, c.saturate); }, x)
          : per_lane<u16>([c](f32 v) { return numerics::f16_from_f32(v, c.saturate, c.rounding); }, x);
  return __builtin_bit_cast(H, codes);
}
/// Rounding toward minus infinity, the host's conversion of unsigned vectors makes 0 a -0:
/// there, two halves are converted exactly and added.
template <class Float> FMHA950_INLINE Lanes<Float> float_of(U a) {
  if (rounds_to_nearest()) [[likely]]
    return __builtin_convertvector(a, Lanes<Float>);
  const auto exact = [](U half) __attribute__((always_inline)) {
    return __builtin_convertvector(__builtin_bit_cast(I, half), Lanes<Float>);
  };
  return exact(a >> 16) * 65536 + exact(a & 0xFFFFu);
}

/// [-1, 1] or [0, 1] to the integers +-32767 or 0..65535, the exact product rounded to nearest even; NaN
/// gives 0.
FMHA950_INLINE I norm(F x, float lowest, double scale) {
  const F inside = x > lowest ? (x < 1 ? x : F(1)) : (x == x ? F(lowest) : F(0));
  return __builtin_convertvector(__builtin_elementwise_roundeven(__builtin_convertvector(inside, D) * scale),
                                 I);
}
FMHA950_INLINE U signed_norm(F x) { return __builtin_bit_cast(U, norm(x, -1, 32767)) & 0xFFFFu; }
FMHA950_INLINE U unsigned_norm(F x) { return __builtin_bit_cast(U, norm(x, 0, 65535)); }
FMHA950_INLINE Lanes<u16> low16(U x) { return __builtin_convertvector(x, Lanes<u16>); }

template <int byte>
constexpr auto unsigned_byte =
    [](U a) { return __builtin_convertvector(__builtin_bit_cast(I, a >> 8 * byte & 0xFFu), F); };
/// In sixteenths: -0.5 .. 0.4375.
constexpr auto signed_nibble = [](U a) {
  return __builtin_convertvector(__builtin_bit_cast(I, a << 28) >> 28, F) * 0.0625f;
};
/// An f32 NaN keeps its payload's upper bits in f64 and back, and comes out quiet.
template <class To>
constexpr auto between_floats = [](auto a) { return quieted<To>(__builtin_convertvector(a, Lanes<To>)); };

/// Byte S1[1:0] is replaced.
template <bool nearest>
constexpr auto byte_of_f32 = [](F a, U selector, U before) {
  const U value = truncated<u32, f32>(nearest ? __builtin_elementwise_roundeven(a) : a),
          shift = (selector & 3u) << 3;
  return (before & ~(U(0xFF) << shift)) | (value > 0xFFu ? U(0xFF) : value) << shift;
};
/// The guide does not say how they round: the launch does. Toward zero, as the other conversions to integers, is a guess.
template <class Signature, bool nearest>
constexpr Row byte_row = conversion<Signature>("v_cvt_pk_u8_f32", byte_of_f32<nearest>);
template <class Signature> constexpr Row to_byte(const char* mnemonic) {
  Row row = byte_row<Signature, false>;
  row.mnemonic = mnemonic;
  row.execute = [](Wave& wave, const Instruction& in) {
    const bool nearest = wave.workgroup->launch->options.bytes_to_nearest;
    (nearest ? byte_row<Signature, true> : byte_row<Signature, false>).execute(wave, in);
  };
  return with_flow(ValuFlow::byte_in_word, row);
}
template <int byte> constexpr Row unsigned_byte_row(const char* mnemonic) {
  return of_byte(byte, conversion<f32(u32)>(mnemonic, unsigned_byte<byte>));
}
template <class Signature, class Body> constexpr Row pair_of(const char* mnemonic, Body body) {
  return with_flow(ValuFlow::half_from_each, conversion<Signature>(mnemonic, body));
}
/// SDWA or VOP3 neg and abs act on bf16's sign bit, which is where f16 has it. Denormals stay (a guess).
constexpr Row from_bf16() {
  Row row = conversion<raw<f32>(f16)>("v_cvt_f32_bf16", [](H a) {
    return __builtin_bit_cast(F, __builtin_convertvector(__builtin_bit_cast(Lanes<u16>, a), U) << 16);
  });
  row.constant[0] = ConstantType::bf16;
  return mode_free(row);
}
constexpr Row table[] = {
    conversion<f32(i32)>("v_cvt_f32_i32", [](I a) { return __builtin_convertvector(a, F); }),
    conversion<f32(u32)>("v_cvt_f32_u32", [](U a) { return float_of<f32>(a); }),
    computes(Arithmetic::in_f64,
             conversion<f64(i32)>("v_cvt_f64_i32", [](I a) { return __builtin_convertvector(a, D); })),
    computes(Arithmetic::in_f64, conversion<f64(u32)>("v_cvt_f64_u32", [](U a) { return float_of<f64>(a); })),
    conversion<i32(f32)>("v_cvt_i32_f32", [](F a) { return truncated<i32, f32>(a); }),
    conversion<u32(f32)>("v_cvt_u32_f32", [](F a) { return truncated<u32, f32>(a); }),
    conversion<i32(f64)>("v_cvt_i32_f64", [](D a) { return truncated<i32, f64>(a); }),
    conversion<u32(f64)>("v_cvt_u32_f64", [](D a) { return truncated<u32, f64>(a); }),
    conversion<i32(f32)>("v_cvt_rpi_i32_f32",
                         [](F a) { return truncated<i32, f32>(__builtin_elementwise_floor(a + 0.5f)); }),
    conversion<i32(f32)>("v_cvt_flr_i32_f32",
                         [](F a) { return truncated<i32, f32>(__builtin_elementwise_floor(a)); }),
    conversion<raw<f32>(f64)>("v_cvt_f32_f64", between_floats<f32>),
    conversion<raw<f64>(f32)>("v_cvt_f64_f32", between_floats<f64>),
    unsigned_byte_row<0>("v_cvt_f32_ubyte0"),
    unsigned_byte_row<1>("v_cvt_f32_ubyte1"),
    unsigned_byte_row<2>("v_cvt_f32_ubyte2"),
    unsigned_byte_row<3>("v_cvt_f32_ubyte3"),
    of_byte(0, conversion<f32(u32)>("v_cvt_off_f32_i4", signed_nibble)),

    convert<raw<f16>(f32)>("v_cvt_f16_f32", [](Controls c, F a) { return half_of(a, c); }),
    conversion<raw<f32>(f16)>("v_cvt_f32_f16", [](H a) { return wide(a); }),
    from_bf16(),
    conversion<raw<f16>(u16)>(
        "v_cvt_f16_u16",
        [](Lanes<u16> a) { return __builtin_convertvector(__builtin_convertvector(a, F), H); }),
    conversion<raw<f16>(i16)>(
        "v_cvt_f16_i16",
        [](Lanes<i16> a) { return __builtin_convertvector(__builtin_convertvector(a, F), H); }),
    conversion<u16(f16)>("v_cvt_u16_f16",
                         [](H a) {
                           const U value = truncated<u32, f32>(wide(a));
                           return low16(value > 0xFFFFu ? U(0xFFFF) : value);
                         }),
    conversion<i16(f16)>("v_cvt_i16_f16",
                         [](H a) {
                           const I value = truncated<i32, f32>(wide(a));
                           const I limited =
                               value > 0x7FFF ? I(0x7FFF) : (value < -0x8000 ? I(-0x8000) : value);
                           return __builtin_convertvector(limited, Lanes<i16>);
                         }),
    conversion<u16(f16)>("v_cvt_norm_i16_f16", [](H a) { return low16(signed_norm(wide(a))); }),
    conversion<u16(f16)>("v_cvt_norm_u16_f16", [](H a) { return low16(unsigned_norm(wide(a))); }),

    pair_of<u32(f32, f32)>("v_cvt_pknorm_i16_f32",
                           [](F a, F b) { return signed_norm(a) | signed_norm(b) << 16; }),
    pair_of<u32(f32, f32)>("v_cvt_pknorm_u16_f32",
                           [](F a, F b) { return unsigned_norm(a) | unsigned_norm(b) << 16; }),
    pair_of<u32(f16, f16)>("v_cvt_pknorm_i16_f16",
                           [](H a, H b) { return signed_norm(wide(a)) | signed_norm(wide(b)) << 16; }),
    pair_of<u32(f16, f16)>("v_cvt_pknorm_u16_f16",
                           [](H a, H b) { return unsigned_norm(wide(a)) | unsigned_norm(wide(b)) << 16; }),
    pair_of<u32(u32, u32)>("v_cvt_pk_u16_u32",
                           [](U a, U b) {
                             const auto limited = [](U x) __attribute__((always_inline)) {
                               return x > 0xFFFFu ? U(0xFFFF) : x;
                             };
                             return limited(a) | limited(b) << 16;
                           }),
    pair_of<u32(i32, i32)>("v_cvt_pk_i16_i32",
                           [](I a, I b) {
                             const auto limited = [](I x) __attribute__((always_inline)) {
                               return __builtin_bit_cast(U, x > 0x7FFF ? I(0x7FFF)
                                                                       : (x < -0x8000 ? I(-0x8000) : x)) &
                                      0xFFFFu;
                             };
                             return limited(a) | limited(b) << 16;
                           }),
    to_byte<u32(f32, u32, u32)>("v_cvt_pk_u8_f32"),
    to_byte<u32(f32, u32, old<u32>)>("v_cvt_pkaccum_u8_f32"),
};

} // namespace
const Rows rows_convert = rows_of<table, all_valu>();
} // namespace fmha950::isa::FMHA950_SIMD
