#pragma once
// The rotary embedding of Q and of the chunk's K, on the way from memory to where they are used. A token's angles are in a row of
// `cos_sin_cache`, that of its position: cosines of the rotated / 2 pairs, then their sines. Of a pair (x, y)
//   x' = fma(x, cos, -(y sin)),   y' = fma(y, cos, x sin)
// in fp32, each then rounded to nearest even (operators/append_prefill/rotary.hpp). Pairs are columns i and i + rotated / 2, or with
// interleaved pairs 2 i and 2 i + 1. Columns from `rotated` on stay as they are.

#include "impl_baseline/append/append_arguments.hpp"
#include "impl_baseline/append/quantise.hpp"

namespace fmha950::baseline::append {

template <class Element> class Rotation {
 public:
  static constexpr uint32_t unit_columns = 8; // of 16 bits, in 16 bytes; units of a pair's columns are whole

  FMHA950_INLINE Rotation(const RotaryArguments& arguments, int32_t position)
      : arguments_(arguments), rotated_(arguments.rotated), position_(position) {
    __builtin_assume(rotated_ >= 2 * unit_columns); // the plan refuses less (append_plan.cpp)
  }

  // `unit` are the columns [column, column + 8) of `row`.
  FMHA950_INLINE Word4 rotate(Word4 unit, const char* row, uint32_t column) const {
    if (!below(column, rotated_, "rope_partial")) return unit;
    return interleaved() ? interleaved_pairs(unit, column) : half_pairs(unit, row, column);
  }

 private:
  using Float4 = Vector<float, 4>;
  using Word2 = Vector<uint32_t, 2>;

  FMHA950_INLINE bool interleaved() const {
    return protection("rope_pairs") ? arguments_.interleaved != 0 : arguments_.interleaved == 0;
  }
  FMHA950_INLINE const float* angles(uint32_t pair) const {
    return arguments_.cos_sin_cache + static_cast<uint64_t>(static_cast<uint32_t>(position_)) * rotated_ +
           pair;
  }
  static FMHA950_INLINE Float4 four(const float* from) { return *reinterpret_cast<const Float4*>(from); }
  static FMHA950_INLINE float value(uint32_t word, int half) {
    return bits_as<float>(as_fp32<Element>(word, half));
  }
  // Of one of a pair; `sine` has the sign of its place.
  static FMHA950_INLINE float turned(float own, float other, float cosine, float sine) {
    float result = __builtin_fmaf(own, cosine, other * sine);
    // clang would make one packed instruction of two, whose op_sel gfx950 may get wrong (docs/hazards.md).
    asm("" : "+v"(result));
    return result;
  }
  static FMHA950_INLINE uint32_t rounded(float low, float high) {
    return bits_as<uint32_t>(round_pair<Element>(Float2{low, high}));
  }

  FMHA950_INLINE Word4 interleaved_pairs(Word4 unit, uint32_t column) const {
    const float* const pairs = angles(column / 2);
    const Float4 cosines = four(pairs), sines = four(pairs + rotated_ / 2);
    Word4 result;
    for (int w = 0; w < 4; ++w) {
      const float x = value(unit[w], 0), y = value(unit[w], 1);
      const float sine = protection("rope_sine_sign") ? sines[w] : -sines[w];
      result[w] = rounded(turned(x, y, cosines[w], -sine), turned(y, x, cosines[w], sine));
    }
    return result;
  }

  FMHA950_INLINE Word4 half_pairs(Word4 unit, const char* row, uint32_t column) const {
    const uint32_t half = rotated_ / 2;
    const bool first = column < half;
    const uint32_t pair = first ? column : column - half;
    const auto* const others = reinterpret_cast<const Word2*>(row + (first ? column + half : pair) * 2);
    const float* const pairs = angles(pair);
    const bool negative = protection("rope_sine_sign") ? first : !first;
    const uint32_t sign = negative ? 0x80000000u : 0;
    Word4 result;
    for (int part = 0; part < 2; ++part) {
      const Word2 other_words = others[part];
      const Float4 cosines = four(pairs + part * 4), sines = four(pairs + half + part * 4);
      for (int w = 0; w < 2; ++w) {
        const uint32_t own = unit[2 * part + w], other = other_words[w];
        float turned_pair[2];
        for (int i = 0; i < 2; ++i)
          turned_pair[i] = turned(value(own, i), value(other, i), cosines[2 * w + i],
                                  bits_as<float>(bits_as<uint32_t>(sines[2 * w + i]) ^ sign));
        result[2 * part + w] = rounded(turned_pair[0], turned_pair[1]);
      }
    }
    return result;
  }

  const RotaryArguments& arguments_;
  uint32_t rotated_;
  int32_t position_;
};

// The position of a token of the batch.
FMHA950_INLINE int32_t position_of(const RotaryArguments& arguments, uint32_t token) {
  return arguments.positions[token] + off_by_one("rope_position");
}

} // namespace fmha950::baseline::append
