// v_cvt_scalef32_* of one element or a pair.
#include "emulator/isa/convert_scaled.hpp"
#include "emulator/isa/families.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using F = Lanes<f32>;
using U = Lanes<u32>;

/// Where a pair of codes goes: an 8-bit pair to a half, a 4-bit pair to a byte.
template <class Code> FMHA950_INLINE U insert_pair(Controls c, U before, U pair) {
  return Code::width == 8 ? inserted(before, pair, half_shift(c), 16)
                          : inserted(before, pair, byte_shift(c), 8);
}

template <class Code>
constexpr auto pair_of_f32 = [](Controls c, F a, F b, U scale, U before) {
  const auto pair = [c](f32 x, f32 y, u32 s) {
    return narrowed<Code>(x, s, c.saturate) | narrowed<Code>(y, s, c.saturate) << Code::width;
  };
  return insert_pair<Code>(c, before, per_lane<u32>(pair, a, b, scale));
};
template <class Wide, class Code>
constexpr auto pair_of_16 = [](Controls c, U a, U scale, U before) {
  const auto pair = [c](u32 x, u32 s) {
    return narrowed<Code>(Wide::decode(x), s, c.saturate) |
           narrowed<Code>(Wide::decode(x >> 16), s, c.saturate) << Code::width;
  };
  return insert_pair<Code>(c, before, per_lane<u32>(pair, a, scale));
};
/// A 16-bit source's half is op_sel[0].
template <class Wide, class Code>
constexpr auto stochastic = [](Controls c, U a, U seed, U scale, U before) {
  const auto code = [c](u32 x, u32 random, u32 s) {
    const u32 bits = Wide::width == 16 ? x >> 16 * (c.op_sel & 1) : x;
    return narrowed_stochastic<Code>(Wide::decode(bits), random, s, c.saturate);
  };
  return inserted(before, per_lane<u32>(code, a, seed, scale), byte_shift(c), 8);
};
/// The second element takes the next number of the seed's sequence.
template <class Wide, class Source>
constexpr auto stochastic_fp4_pair = [](Controls c, Source a, U seed, U scale, U before) {
  const auto pair = [](auto x, u32 random, u32 s) {
    return narrowed_stochastic<CodeFp4>(Wide::decode(static_cast<u32>(x)), random, s, false) |
           narrowed_stochastic<CodeFp4>(Wide::decode(static_cast<u32>(x >> Wide::width)),
                                        numerics::prng_b32(random), s, false)
               << 4;
  };
  return inserted(before, per_lane<u32>(pair, a, seed, scale), byte_shift(c), 8);
};

template <class Code>
constexpr auto to_f32 = [](Controls c, U a, U scale) {
  return per_lane<u32>([](u32 code, u32 s) { return widened<WideF32, Code>(code, s); },
                       a >> 8 * (c.op_sel & 3), scale);
};
template <class Code>
constexpr auto to_f16 = [](Controls c, U a, U scale, U before) {
  const auto code = [](u32 x, u32 s) { return widened<WideF16, Code>(x, s); };
  return inserted(before, per_lane<u32>(code, a >> 8 * (c.op_sel & 3), scale), half_shift(c), 16);
};
/// The pair is word op_sel[0] of 8-bit codes, byte op_sel[1:0] of 4-bit ones.
template <class Out, class Wide, class Code>
constexpr auto to_pair = [](Controls c, U a, U scale) {
  const uint32_t shift = Code::width == 8 ? 16 * (c.op_sel & 1) : 8 * (c.op_sel & 3);
  const auto pair = [](u32 codes, u32 s) {
    return Out{widened<Wide, Code>(codes, s)} | Out{widened<Wide, Code>(codes >> Code::width, s)}
                                                    << Wide::width;
  };
  return per_lane<Out>(pair, a >> shift, scale);
};

// Rows with these bodies: where codes go to or come from is op_sel's.
template <class Code> constexpr Row from_f32_pair(const char* mnemonic) {
  const Row row = convert<u32(f32, f32, u32, old<u32>)>(mnemonic, pair_of_f32<Code>);
  return Code::width == 8 ? placed(ValuFlow::code_from_each, low_half, row)
                          : placed(ValuFlow::narrowed, one_byte, row);
}
template <class Wide, class Code> constexpr Row from_16_pair(const char* mnemonic) {
  const Row row = convert<u32(u32, u32, old<u32>)>(mnemonic, pair_of_16<Wide, Code>);
  return Code::width == 8 ? placed(ValuFlow::codes_of_halves, low_half, row)
                          : placed(ValuFlow::narrowed, one_byte, row);
}
template <class Wide, class Code> constexpr Row stochastic_from(const char* mnemonic) {
  using Bits = std::conditional_t<Wide::width == 16, u32, b32>;
  Row row = convert<u32(Bits, u32, u32, old<u32>)>(mnemonic, stochastic<Wide, Code>);
  if (Wide::width == 16) row.valu.reads[0] = low_half;
  return placed(ValuFlow::narrowed, one_byte, row);
}
template <class Wide, class Bits> constexpr Row stochastic_pair_from(const char* mnemonic) {
  Row row = convert<u32(Bits, u32, u32, old<u32>)>(mnemonic, stochastic_fp4_pair<Wide, Lanes<Bits>>);
  row.valu.always_moves = true;
  return placed(ValuFlow::narrowed, one_byte, row);
}
template <class Code> constexpr Row f32_from(const char* mnemonic) {
  return with_flow(ValuFlow::widened, convert<u32(u32, u32)>(mnemonic, to_f32<Code>));
}
template <class Code> constexpr Row f16_from(const char* mnemonic) {
  return placed(ValuFlow::widened, low_half, convert<u32(u32, u32, old<u32>)>(mnemonic, to_f16<Code>));
}
template <class Out, class Wide, class Code> constexpr Row pair_from(const char* mnemonic) {
  return with_flow(Code::width == 8 ? ValuFlow::widened_each : ValuFlow::widened,
                   convert<Out(u32, u32)>(mnemonic, to_pair<Out, Wide, Code>));
}

constexpr Row table[] = {
    from_f32_pair<CodeFp8>("v_cvt_scalef32_pk_fp8_f32"),
    from_f32_pair<CodeBf8>("v_cvt_scalef32_pk_bf8_f32"),
    from_f32_pair<CodeFp4>("v_cvt_scalef32_pk_fp4_f32"),
    from_16_pair<WideF16, CodeFp8>("v_cvt_scalef32_pk_fp8_f16"),
    from_16_pair<WideF16, CodeBf8>("v_cvt_scalef32_pk_bf8_f16"),
    from_16_pair<WideF16, CodeFp4>("v_cvt_scalef32_pk_fp4_f16"),
    from_16_pair<WideBf16, CodeFp8>("v_cvt_scalef32_pk_fp8_bf16"),
    from_16_pair<WideBf16, CodeBf8>("v_cvt_scalef32_pk_bf8_bf16"),
    from_16_pair<WideBf16, CodeFp4>("v_cvt_scalef32_pk_fp4_bf16"),

    stochastic_from<WideF32, CodeFp8>("v_cvt_scalef32_sr_fp8_f32"),
    stochastic_from<WideF32, CodeBf8>("v_cvt_scalef32_sr_bf8_f32"),
    stochastic_from<WideF16, CodeFp8>("v_cvt_scalef32_sr_fp8_f16"),
    stochastic_from<WideF16, CodeBf8>("v_cvt_scalef32_sr_bf8_f16"),
    stochastic_from<WideBf16, CodeFp8>("v_cvt_scalef32_sr_fp8_bf16"),
    stochastic_from<WideBf16, CodeBf8>("v_cvt_scalef32_sr_bf8_bf16"),
    stochastic_pair_from<WideF32, u64>("v_cvt_scalef32_sr_pk_fp4_f32"),
    stochastic_pair_from<WideF16, u32>("v_cvt_scalef32_sr_pk_fp4_f16"),
    stochastic_pair_from<WideBf16, u32>("v_cvt_scalef32_sr_pk_fp4_bf16"),

    f32_from<CodeFp8>("v_cvt_scalef32_f32_fp8"),
    f32_from<CodeBf8>("v_cvt_scalef32_f32_bf8"),
    f16_from<CodeFp8>("v_cvt_scalef32_f16_fp8"),
    f16_from<CodeBf8>("v_cvt_scalef32_f16_bf8"),
    pair_from<u64, WideF32, CodeFp8>("v_cvt_scalef32_pk_f32_fp8"),
    pair_from<u64, WideF32, CodeBf8>("v_cvt_scalef32_pk_f32_bf8"),
    pair_from<u64, WideF32, CodeFp4>("v_cvt_scalef32_pk_f32_fp4"),
    pair_from<u32, WideF16, CodeFp8>("v_cvt_scalef32_pk_f16_fp8"),
    pair_from<u32, WideF16, CodeBf8>("v_cvt_scalef32_pk_f16_bf8"),
    pair_from<u32, WideF16, CodeFp4>("v_cvt_scalef32_pk_f16_fp4"),
    pair_from<u32, WideBf16, CodeFp8>("v_cvt_scalef32_pk_bf16_fp8"),
    pair_from<u32, WideBf16, CodeBf8>("v_cvt_scalef32_pk_bf16_bf8"),
    pair_from<u32, WideBf16, CodeFp4>("v_cvt_scalef32_pk_bf16_fp4"),
};

} // namespace
const Rows rows_convert_scaled = rows_of<table, all_valu>();
} // namespace fmha950::isa::FMHA950_SIMD
