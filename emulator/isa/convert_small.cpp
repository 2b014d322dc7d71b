// Conversions between f32 and fp8, bf8, bf16, f16 pairs, without scales (mfma_gfx950.md section 4.1).
#include "emulator/isa/convert.hpp"
#include "emulator/isa/families.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using F = Lanes<f32>;
using U = Lanes<u32>;
using numerics::e8m0_one;

template <class Code>
constexpr auto narrow_pair = [](Controls c, F a, F b, U before) {
  const auto code = [c](f32 x, f32 y) {
    return Code::nearest(x, e8m0_one, c.saturate) | Code::nearest(y, e8m0_one, c.saturate) << 8;
  };
  return inserted(before, per_lane<u32>(code, a, b), half_shift(c), 16);
};
template <class Code>
constexpr auto narrow_stochastic = [](Controls c, F a, U seed, U before) {
  const auto code = [c](f32 x, u32 random) { return Code::stochastic(x, random, e8m0_one, c.saturate); };
  return inserted(before, per_lane<u32>(code, a, seed), byte_shift(c), 8);
};
template <class Code>
constexpr auto widen = [](Controls c, U a) {
  return per_lane<f32>([](u32 code) { return Code::decode(code & 0xff); }, a >> 8 * (c.op_sel & 3));
};
template <class Code>
constexpr auto widen_pair = [](Controls c, U a) {
  const auto pair = [](u32 codes) {
    return u64{numerics::bits_of(Code::decode(codes & 0xff))} |
           u64{numerics::bits_of(Code::decode(codes >> 8 & 0xff))} << 32;
  };
  return per_lane<u64>(pair, a >> 16 * (c.op_sel & 1));
};

constexpr Row table[] = {
    convert<u32(f32, f32, old<u32>)>("v_cvt_pk_fp8_f32", narrow_pair<CodeFp8>),
    convert<u32(f32, f32, old<u32>)>("v_cvt_pk_bf8_f32", narrow_pair<CodeBf8>),
    convert<u32(f32, u32, old<u32>)>("v_cvt_sr_fp8_f32", narrow_stochastic<CodeFp8>),
    convert<u32(f32, u32, old<u32>)>("v_cvt_sr_bf8_f32", narrow_stochastic<CodeBf8>),
    convert<raw<f32>(u32)>("v_cvt_f32_fp8", widen<CodeFp8>),
    convert<raw<f32>(u32)>("v_cvt_f32_bf8", widen<CodeBf8>),
    convert<u64(u32)>("v_cvt_pk_f32_fp8", widen_pair<CodeFp8>),
    convert<u64(u32)>("v_cvt_pk_f32_bf8", widen_pair<CodeBf8>),

    convert<u32(f32, f32)>("v_cvt_pk_bf16_f32",
                           [](Controls, F a, F b) {
                             const auto pair = [](f32 x, f32 y) {
                               return numerics::bf16_from_f32(x) | u32{numerics::bf16_from_f32(y)} << 16;
                             };
                             return per_lane<u32>(pair, a, b);
                           }),
    convert<u32(f32, f32)>("v_cvt_pk_f16_f32",
                           [](Controls c, F a, F b) {
                             const auto pair = [c](f32 x, f32 y) {
                               return numerics::f16_from_f32(x, c.saturate) |
                                      u32{numerics::f16_from_f32(y, c.saturate)} << 16;
                             };
                             return per_lane<u32>(pair, a, b);
                           }),
    convert<u32(f32, f32)>("v_cvt_pkrtz_f16_f32",
                           [](Controls, F a, F b) {
                             const auto pair = [](f32 x, f32 y) {
                               return numerics::f16_from_f32_toward_zero(x) |
                                      u32{numerics::f16_from_f32_toward_zero(y)} << 16;
                             };
                             return per_lane<u32>(pair, a, b);
                           }),
    convert<u32(f32, u32, old<u32>)>("v_cvt_sr_f16_f32",
                                     [](Controls c, F a, U seed, U before) {
                                       const auto code = [c](f32 x, u32 random) {
                                         return u32{numerics::f16_from_f32_stochastic(x, random, c.saturate)};
                                       };
                                       return inserted(before, per_lane<u32>(code, a, seed), half_shift(c),
                                                       16);
                                     }),
    convert<u32(f32, u32, old<u32>)>("v_cvt_sr_bf16_f32",
                                     [](Controls c, F a, U seed, U before) {
                                       const auto code = [](f32 x, u32 random) {
                                         return u32{numerics::bf16_from_f32_stochastic(x, random)};
                                       };
                                       return inserted(before, per_lane<u32>(code, a, seed), half_shift(c),
                                                       16);
                                     }),
};

} // namespace
const Rows rows_convert_small = rows_of(table);
} // namespace fmha950::isa::FMHA950_SIMD
