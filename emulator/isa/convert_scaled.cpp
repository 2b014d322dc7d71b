// v_cvt_scalef32_*: conversions to and from the small formats with an E8M0 scale, the exponent field of an
// f32 operand (mfma_gfx950.md section 4.2).
// To small: x / 2^(e-127), rounded once. From small: v * 2^(e-127).
#include "emulator/isa/convert.hpp"
#include "emulator/isa/families.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using F = Lanes<f32>;
using U = Lanes<u32>;

FMHA950_INLINE uint8_t exponent_of(u32 scale) { return static_cast<uint8_t>(scale >> 23); }
/// Scale 0xFF makes the value NaN: expected, not documented (facts 4.2).
FMHA950_INLINE f32 value_under(f32 x, u32 scale) {
  return exponent_of(scale) == numerics::e8m0_nan ? numerics::f32_from_e8m0(numerics::e8m0_nan) : x;
}

// The wide side: how an element's bits are read from the low half (or all) of a register, and made.
struct WideF32 {
  static constexpr int width = 32;
  FMHA950_INLINE static f32 decode(u32 bits) { return numerics::float_of(bits); }
  FMHA950_INLINE static u32 encode(f32 x) { return numerics::bits_of(x); }
};
struct WideF16 {
  static constexpr int width = 16;
  FMHA950_INLINE static f32 decode(u32 bits) { return numerics::f32_from_f16(static_cast<uint16_t>(bits)); }
  FMHA950_INLINE static u32 encode(f32 x) { return numerics::f16_from_f32(x); }
};
struct WideBf16 {
  static constexpr int width = 16;
  FMHA950_INLINE static f32 decode(u32 bits) { return numerics::f32_from_bf16(static_cast<uint16_t>(bits)); }
  FMHA950_INLINE static u32 encode(f32 x) { return numerics::bf16_from_f32(x); }
};

template <class Code> FMHA950_INLINE u32 narrowed(f32 x, u32 scale, bool saturate) {
  return Code::nearest(value_under(x, scale), exponent_of(scale), saturate);
}
template <class Code> FMHA950_INLINE u32 narrowed_stochastic(f32 x, u32 seed, u32 scale, bool saturate) {
  return Code::stochastic(value_under(x, scale), seed, exponent_of(scale), saturate);
}
template <class Wide, class Code> FMHA950_INLINE u32 widened(u32 code, u32 scale) {
  return Wide::encode(
      numerics::scaled_by_e8m0(Code::decode(code & ((1u << Code::width) - 1)), exponent_of(scale)));
}

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

// --- 32 elements per lane
// ---------------------------------------------------------------------------------------------

template <int width> u32 item_of(const u32* words, int item) {
  const int word = item * width / 32, shift = item * width % 32;
  const u64 pair = words[word] | (shift + width > 32 ? u64{words[word + 1]} << 32 : 0);
  return static_cast<u32>(pair >> shift & ((1ull << width) - 1));
}
template <int width> void put_item(u32* words, int item, u32 code) { // into zeroed words
  const int word = item * width / 32, shift = item * width % 32;
  words[word] |= code << shift;
  if (shift + width > 32) words[word + 1] |= code >> (32 - shift);
}

u32 scalar_or_lane(const Wave& wave, const Source& source, int lane) {
  if (source.kind == Source::Kind::vgpr) return wave.lanes(source.index)[lane];
  return static_cast<u32>(scalar_bits(wave, source, false));
}

/// `convert_lane(lane, out)` gives the result registers of one active lane.
template <int results, class PerLane>
FMHA950_INLINE void for_active_lanes(Wave& wave, const Instruction& in, PerLane per) {
  for (int lane = 0; lane < wave_lanes; ++lane) {
    if (!(wave.exec() >> lane & 1)) continue;
    u32 out[results] = {};
    per(lane, out);
    for (int r = 0; r < results; ++r) wave.lanes(in.dst + r)[lane] = out[r];
  }
}
template <int count> FMHA950_INLINE void gather(const Wave& wave, int vgpr, int lane, u32* words) {
  for (int r = 0; r < count; ++r) words[r] = wave.lanes(vgpr + r)[lane];
}

/// 2xpk16 from f32: items alternate between S0 and S1. pk32 from 16-bit pairs: in order.
template <class Wide, class Code> void narrow_32(Wave& wave, const Instruction& in) {
  constexpr bool interleaved = Wide::width == 32;
  for_active_lanes<6>(wave, in, [&](int lane, u32* out) {
    u32 words[32];
    gather<16>(wave, in.src[0].index, lane, words);
    if constexpr (interleaved) gather<16>(wave, in.src[1].index, lane, words + 16);
    const u32 scale = scalar_or_lane(wave, in.src[interleaved ? 2 : 1], lane);
    for (int item = 0; item < 32; ++item) {
      const u32 bits = interleaved ? words[item / 2 + 16 * (item % 2)] : item_of<16>(words, item);
      put_item<Code::width>(out, item, narrowed<Code>(Wide::decode(bits), scale, false));
    }
  });
}
template <class Wide, class Code> void narrow_32_stochastic(Wave& wave, const Instruction& in) {
  for_active_lanes<6>(wave, in, [&](int lane, u32* out) {
    u32 words[32];
    gather<Wide::width>(wave, in.src[0].index, lane, words); // 32 elements of that many bits
    u32 random = scalar_or_lane(wave, in.src[1], lane);
    const u32 scale = scalar_or_lane(wave, in.src[2], lane);
    for (int item = 0; item < 32; ++item, random = numerics::prng_b32(random))
      put_item<Code::width>(
          out, item,
          narrowed_stochastic<Code>(Wide::decode(item_of<Wide::width>(words, item)), random, scale, false));
  });
}
template <class Wide, class Code> void widen_32(Wave& wave, const Instruction& in) {
  for_active_lanes<Wide::width>(wave, in, [&](int lane, u32* out) {
    u32 words[6];
    gather<6>(wave, in.src[0].index, lane, words);
    const u32 scale = scalar_or_lane(wave, in.src[1], lane);
    for (int item = 0; item < 32; ++item)
      put_item<Wide::width>(out, item, widened<Wide, Code>(item_of<Code::width>(words, item), scale));
  });
}

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
template <class Wide> constexpr Row row_of_32(const char* mnemonic, Execute execute) {
  return valu_row({mnemonic, execute}, {.kind = ValuClass::conversion, .widest = Wide::width});
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

    row_of_32<WideF32>("v_cvt_scalef32_2xpk16_fp6_f32", narrow_32<WideF32, CodeFp6>),
    row_of_32<WideF32>("v_cvt_scalef32_2xpk16_bf6_f32", narrow_32<WideF32, CodeBf6>),
    row_of_32<WideF16>("v_cvt_scalef32_pk32_fp6_f16", narrow_32<WideF16, CodeFp6>),
    row_of_32<WideF16>("v_cvt_scalef32_pk32_bf6_f16", narrow_32<WideF16, CodeBf6>),
    row_of_32<WideBf16>("v_cvt_scalef32_pk32_fp6_bf16", narrow_32<WideBf16, CodeFp6>),
    row_of_32<WideBf16>("v_cvt_scalef32_pk32_bf6_bf16", narrow_32<WideBf16, CodeBf6>),
    row_of_32<WideF32>("v_cvt_scalef32_sr_pk32_fp6_f32", narrow_32_stochastic<WideF32, CodeFp6>),
    row_of_32<WideF32>("v_cvt_scalef32_sr_pk32_bf6_f32", narrow_32_stochastic<WideF32, CodeBf6>),
    row_of_32<WideF16>("v_cvt_scalef32_sr_pk32_fp6_f16", narrow_32_stochastic<WideF16, CodeFp6>),
    row_of_32<WideF16>("v_cvt_scalef32_sr_pk32_bf6_f16", narrow_32_stochastic<WideF16, CodeBf6>),
    row_of_32<WideBf16>("v_cvt_scalef32_sr_pk32_fp6_bf16", narrow_32_stochastic<WideBf16, CodeFp6>),
    row_of_32<WideBf16>("v_cvt_scalef32_sr_pk32_bf6_bf16", narrow_32_stochastic<WideBf16, CodeBf6>),
    row_of_32<WideF32>("v_cvt_scalef32_pk32_f32_fp6", widen_32<WideF32, CodeFp6>),
    row_of_32<WideF32>("v_cvt_scalef32_pk32_f32_bf6", widen_32<WideF32, CodeBf6>),
    row_of_32<WideF16>("v_cvt_scalef32_pk32_f16_fp6", widen_32<WideF16, CodeFp6>),
    row_of_32<WideF16>("v_cvt_scalef32_pk32_f16_bf6", widen_32<WideF16, CodeBf6>),
    row_of_32<WideBf16>("v_cvt_scalef32_pk32_bf16_fp6", widen_32<WideBf16, CodeFp6>),
    row_of_32<WideBf16>("v_cvt_scalef32_pk32_bf16_bf6", widen_32<WideBf16, CodeBf6>),
};

static_assert(all_valu(table));

} // namespace
const Rows rows_convert_scaled = rows_of(table);
} // namespace fmha950::isa::FMHA950_SIMD
