// v_cvt_scalef32_* of 32 elements per lane: 2xpk16 and pk32, whose codes have six bits.
#include "emulator/isa/convert_scaled.hpp"
#include "emulator/isa/families.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

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

template <class Wide> constexpr Row row_of_32(const char* mnemonic, Execute execute) {
  ValuFacts facts = whole_registers(ValuClass::conversion, ValuFlow::together);
  facts.widest = Wide::width;
  return valu_row({mnemonic, execute}, facts);
}

constexpr Row table[] = {
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

} // namespace
const Rows rows_convert_scaled_32 = rows_of<table, all_valu>();
} // namespace fmha950::isa::FMHA950_SIMD
