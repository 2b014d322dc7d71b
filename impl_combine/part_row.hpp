#pragma once
// Eight columns of a row of any element, as two chunks of fp32: how a lane loads and stores them.

#include "gfx950/convert.hpp"
#include "gfx950/kernel.hpp"

namespace fmha950::combine {

using gfx950::bf16, gfx950::fp16, gfx950::Float2, gfx950::Float4, gfx950::Word4;

constexpr int row_chunks = 2; // of four columns

template <class Element>
FMHA950_INLINE void load_columns(const void* base, uint64_t first_column, Float4 (&columns)[row_chunks]) {
  using Eight = gfx950::Vector<Element, 8>;
  const auto eight = *reinterpret_cast<const Eight*>(static_cast<const Element*>(base) + first_column);
  columns[0] = __builtin_convertvector(__builtin_shufflevector(eight, eight, 0, 1, 2, 3), Float4);
  columns[1] = __builtin_convertvector(__builtin_shufflevector(eight, eight, 4, 5, 6, 7), Float4);
}

template <class Element>
FMHA950_INLINE void store_columns(void* base, uint64_t first_column, const Float4 (&columns)[row_chunks]) {
  Element* const to = static_cast<Element*>(base) + first_column;
  if constexpr (sizeof(Element) == 4) {
    for (int c = 0; c < row_chunks; ++c) reinterpret_cast<Float4*>(to)[c] = columns[c];
  } else {
    Word4 eight;
    for (int pair = 0; pair < 4; ++pair) {
      const Float4& four = columns[pair / 2];
      const int first = pair % 2 * 2;
      eight[pair] =
          gfx950::bits_as<uint32_t>(gfx950::round_pair<Element>(Float2{four[first], four[first + 1]}));
    }
    *reinterpret_cast<Word4*>(to) = eight;
  }
}

} // namespace fmha950::combine
