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
    return Code::nearest(x, c.saturate) | Code::nearest(y, c.saturate) << 8;
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

// Rows with these bodies.
template <class Code> constexpr Row pair_to(const char* mnemonic) {
  return placed(ValuFlow::code_from_each, low_half,
                convert<u32(f32, f32, old<u32>)>(mnemonic, narrow_pair<Code>));
}
template <class Code> constexpr Row stochastic_to(const char* mnemonic) {
  return placed(ValuFlow::narrowed, one_byte,
                convert<u32(f32, u32, old<u32>)>(mnemonic, narrow_stochastic<Code>));
}
template <class Code> constexpr Row from(const char* mnemonic) {
  return with_flow(ValuFlow::widened, convert<raw<f32>(u32)>(mnemonic, widen<Code>));
}
template <class Code> constexpr Row pair_from(const char* mnemonic) {
  return with_flow(ValuFlow::widened_each, convert<u64(u32)>(mnemonic, widen_pair<Code>));
}
/// Two 16-bit results. `encode` gives the bits of one.
template <class Encode> constexpr Row halves_of_pair(const char* mnemonic, Encode) {
  return with_flow(ValuFlow::half_from_each, convert<u32(f32, f32)>(mnemonic, [](Controls c, F a, F b) {
                     const auto pair = [c](f32 x, f32 y) { return Encode{}(c, x) | Encode{}(c, y) << 16; };
                     return per_lane<u32>(pair, a, b);
                   }));
}
/// One, rounded by a random number, in the half that op_sel names.
template <class Encode> constexpr Row stochastic_half(const char* mnemonic, Encode) {
  return placed(ValuFlow::narrowed, low_half,
                convert<u32(f32, u32, old<u32>)>(mnemonic, [](Controls c, F a, U seed, U before) {
                  const auto code = [c](f32 x, u32 random) { return Encode{}(c, x, random); };
                  return inserted(before, per_lane<u32>(code, a, seed), half_shift(c), 16);
                }));
}

constexpr Row table[] = {
    pair_to<CodeFp8>("v_cvt_pk_fp8_f32"),
    pair_to<CodeBf8>("v_cvt_pk_bf8_f32"),
    stochastic_to<CodeFp8>("v_cvt_sr_fp8_f32"),
    stochastic_to<CodeBf8>("v_cvt_sr_bf8_f32"),
    from<CodeFp8>("v_cvt_f32_fp8"),
    from<CodeBf8>("v_cvt_f32_bf8"),
    pair_from<CodeFp8>("v_cvt_pk_f32_fp8"),
    pair_from<CodeBf8>("v_cvt_pk_f32_bf8"),

    halves_of_pair("v_cvt_pk_bf16_f32", [](Controls, f32 x) { return u32{numerics::bf16_from_f32(x)}; }),
    halves_of_pair("v_cvt_pk_f16_f32",
                   [](Controls c, f32 x) { return u32{numerics::f16_from_f32(x, c.saturate)}; }),
    halves_of_pair("v_cvt_pkrtz_f16_f32",
                   [](Controls, f32 x) { return u32{numerics::f16_from_f32_toward_zero(x)}; }),
    stochastic_half("v_cvt_sr_f16_f32",
                    [](Controls c, f32 x, u32 random) {
                      return u32{numerics::f16_from_f32_stochastic(x, random, c.saturate)};
                    }),
    stochastic_half(
        "v_cvt_sr_bf16_f32",
        [](Controls, f32 x, u32 random) { return u32{numerics::bf16_from_f32_stochastic(x, random)}; }),
};

} // namespace
const Rows rows_convert_small = rows_of<table, all_valu>();
} // namespace fmha950::isa::FMHA950_SIMD
