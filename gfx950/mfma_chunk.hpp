#pragma once
// Matrix products of operands in chunks of 16 bytes, whatever their elements: what a lane reads from memory
// or LDS in one go is what it multiplies. Register layouts: mfma_gfx950.md sections 2.2 and 2.3.

#include "gfx950/convert.hpp"
#include "gfx950/mfma.hpp"
#include "gfx950/unroll.hpp"

namespace fmha950::gfx950 {

template <class Element> constexpr int element_bytes = 2;
template <> constexpr int element_bytes<fp8> = 1;
template <class Element> constexpr int chunk_elements = 16 / element_bytes<Element>;

// D[32 x 32] += A[32 x 2n] B[2n x 32] where n = chunk_elements: lane l brings n elements of row l % 32 of A
// and of column l % 32 of B. Which k they are is free, as long as A and B agree: no lane multiplies another
// half's. D's item r of lane l is row 8 (r / 4) + 4 (l / 32) + r % 4, column l % 32.
template <class Element> FMHA950_INLINE Float16 multiply_add_chunks(Word4 a, Word4 b, Float16 c) {
  if constexpr (__is_same(Element, fp8)) {
    using Operands = Vector<int64_t, 2>;
    const auto a2 = bits_as<Operands>(a), b2 = bits_as<Operands>(b);
    c = __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(a2[0], b2[0], c, 0, 0, 0);
    return __builtin_amdgcn_mfma_f32_32x32x16_fp8_fp8(a2[1], b2[1], c, 0, 0, 0);
  } else {
    using Operand = typename Mfma32x32x16<Element>::Operand;
    return Mfma32x32x16<Element>::multiply_add(bits_as<Operand>(a), bits_as<Operand>(b), c);
  }
}

// Elements in memory and LDS may be narrower than what is multiplied: then a chunk of theirs becomes several.
template <class Element, class Operand>
constexpr int operand_chunks = element_bytes<Operand> / element_bytes<Element>;

// Part PART of the chunk's elements as operands: fp8 as bf16 or fp16, exactly.
template <class Element, class Operand, int PART> FMHA950_INLINE Word4 operand_chunk(Word4 chunk) {
  if constexpr (__is_same(Element, Operand)) {
    return chunk;
  } else {
    static_assert(__is_same(Element, fp8), "only fp8 is narrower");
    const auto widened = [](uint32_t four) {
      if constexpr (__is_same(Operand, bf16))
        return bits_as<Word2>(fp8_to_bf16(four, 1));
      else
        return bits_as<Word2>(fp8_to_fp16(four, 1));
    };
    return __builtin_shufflevector(widened(chunk[2 * PART]), widened(chunk[2 * PART + 1]), 0, 1, 2, 3);
  }
}

// multiply_add_chunks() where A's chunk holds Element and B's, operand_chunks of them, what A is widened to.
template <class Element, class Operand>
FMHA950_INLINE Float16 multiply_add_widened(Word4 a, const Word4* b, Float16 c) {
  unrolled<operand_chunks<Element, Operand>>([&](auto part) {
    c = multiply_add_chunks<Operand>(operand_chunk<Element, Operand, part>(a), b[part], c);
  });
  return c;
}

// Items FIRST, ... of `values` as a chunk, rounded to nearest even; fp8 beyond its range becomes NaN.
template <class Element, int FIRST> FMHA950_INLINE Word4 round_chunk(const Float16& values) {
  Word4 words;
  for (int w = 0; w < 4; ++w)
    if constexpr (__is_same(Element, fp8)) {
      const int i = FIRST + 4 * w;
      words[w] = round_to_fp8(values[i], values[i + 1], values[i + 2], values[i + 3]);
    } else {
      const int i = FIRST + 2 * w;
      words[w] = bits_as<uint32_t>(round_pair<Element>(Float2{values[i], values[i + 1]}));
    }
  return words;
}

} // namespace fmha950::gfx950
