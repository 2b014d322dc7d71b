#pragma once
// Small formats widened by table lookup in vector registers, where AVX-512 has the permutations: the same
// values as Small's arithmetic at a third of the instructions.
#include "emulator/isa/mfma_types.hpp"

#ifdef __AVX512BW__
#include <array>
#include <immintrin.h>

namespace fmha950::isa::FMHA950_SIMD {

/// f32 bits of the first `count` codes, shifted right: the upper 16 hold every one of them exactly.
template <class Format, class Word, int count, int shift> struct CodeTable {
  static constexpr auto make() {
    std::array<Word, count> words{};
    for (int code = 0; code < count; ++code)
      words[code] = static_cast<Word>(numerics::bits_of(numerics::decode<Format>(code)) >> shift);
    return words;
  }
  alignas(64) static constexpr std::array<Word, count> words = make();
};

/// 4 and 6-bit items in the low bits of 16 words.
template <class Format> FMHA950_INLINE __m512i looked_up(__m512i raw) {
  if constexpr (Format::width == 4) {
    return _mm512_permutexvar_epi32(raw, _mm512_load_si512(CodeTable<Format, uint32_t, 16, 0>::words.data()));
  } else { // 32 magnitudes and a sign at bit 5
    const uint32_t* words = CodeTable<Format, uint32_t, 32, 0>::words.data();
    const __m512i magnitude =
        _mm512_permutex2var_epi32(_mm512_load_si512(words), raw, _mm512_load_si512(words + 16));
    const __m512i sign =
        _mm512_and_si512(_mm512_slli_epi32(raw, 26), _mm512_set1_epi32(static_cast<int>(0x80000000u)));
    return _mm512_or_si512(magnitude, sign);
  }
}

/// The four 8-bit items of 16 words as bf16: those of even and of odd bytes.
struct Bf16Pairs {
  __m512i even, odd;
};
/// The low byte of each 16-bit half as bf16 in that half.
template <class Format> FMHA950_INLINE __m512i bytes_to_bf16(__m512i raw) {
  const uint16_t* words = CodeTable<Format, uint16_t, 128, 16>::words.data();
  const __m512i low = _mm512_permutex2var_epi16(_mm512_load_si512(words), raw, _mm512_load_si512(words + 32));
  const __m512i high =
      _mm512_permutex2var_epi16(_mm512_load_si512(words + 64), raw, _mm512_load_si512(words + 96));
  const __mmask32 is_high = _mm512_test_epi16_mask(raw, _mm512_set1_epi16(0x40));
  const __m512i sign =
      _mm512_and_si512(_mm512_slli_epi16(raw, 8), _mm512_set1_epi16(static_cast<short>(0x8000)));
  return _mm512_or_si512(_mm512_mask_mov_epi16(low, is_high, high), sign);
}
template <class Format> FMHA950_INLINE Bf16Pairs pairs_by_words(__m512i raw) {
  return {bytes_to_bf16<Format>(raw), bytes_to_bf16<Format>(_mm512_srli_epi16(raw, 8))};
}
/// All 64 at once, the low and the high byte of each result apart.
template <class Format>
[[gnu::target("avx512vbmi"), gnu::always_inline]] inline Bf16Pairs pairs_by_bytes(__m512i raw) {
  const uint8_t *lows = CodeTable<Format, uint8_t, 128, 16>::words.data(),
                *highs = CodeTable<Format, uint8_t, 128, 24>::words.data();
  const __m512i low = _mm512_permutex2var_epi8(_mm512_load_si512(lows), raw, _mm512_load_si512(lows + 64));
  const __m512i magnitude =
      _mm512_permutex2var_epi8(_mm512_load_si512(highs), raw, _mm512_load_si512(highs + 64));
  const __m512i high =
      _mm512_or_si512(magnitude, _mm512_and_si512(raw, _mm512_set1_epi8(static_cast<char>(0x80))));
  const __m512i low_bytes = _mm512_set1_epi16(0xff);
  return {_mm512_or_si512(_mm512_slli_epi16(high, 8), _mm512_and_si512(low, low_bytes)),
          _mm512_or_si512(_mm512_andnot_si512(low_bytes, high), _mm512_srli_epi16(low, 8))};
}
/// In the order of the bytes.
FMHA950_INLINE void store_widened(Bf16Pairs pairs, float* out, const int (&places)[4]) {
  const __m512i upper = _mm512_set1_epi32(static_cast<int>(0xffff0000u));
  _mm512_storeu_si512(out + places[0], _mm512_slli_epi32(pairs.even, 16));
  _mm512_storeu_si512(out + places[1], _mm512_slli_epi32(pairs.odd, 16));
  _mm512_storeu_si512(out + places[2], _mm512_and_si512(pairs.even, upper));
  _mm512_storeu_si512(out + places[3], _mm512_and_si512(pairs.odd, upper));
}

/// Writes an operand of 8-bit items to where Places says. Neither form is inlined: widen_by_bytes() has more
/// instructions than its callers and cannot become a part of them; of the other form, too, one copy serves all.
template <class Format, class Places>
[[gnu::noinline]] void widen_by_words(const uint32_t* registers, float* out) {
#pragma unroll
  for (const auto& piece : Places::pieces)
#pragma unroll
    for (int r = 0; r < Places::registers; ++r)
      store_widened(pairs_by_words<Format>(_mm512_loadu_si512(registers + piece.first_lane + r * wave_lanes)),
                    out, piece.place[r]);
}
template <class Format, class Places>
[[gnu::target("avx512vbmi"), gnu::noinline]] void widen_by_bytes(const uint32_t* registers, float* out) {
#pragma unroll
  for (const auto& piece : Places::pieces)
#pragma unroll
    for (int r = 0; r < Places::registers; ++r)
      store_widened(pairs_by_bytes<Format>(_mm512_loadu_si512(registers + piece.first_lane + r * wave_lanes)),
                    out, piece.place[r]);
}

} // namespace fmha950::isa::FMHA950_SIMD
#endif
