#pragma once
// Exchange between the halves and quarters of a wave without LDS.

#include "gfx950/kernel.hpp"

namespace fmha950::gfx950 {

struct SwappedHalves {
  uint32_t first, second;
};

// Swaps the upper half of `first` with the lower half of `second` (mfma_gfx950.md section 4.3):
// first = {first.lower, second.lower}, second = {first.upper, second.upper}.
FMHA950_INLINE SwappedHalves swap_halves(uint32_t first, uint32_t second) {
  const Word2 swapped = bits_as<Word2>(__builtin_amdgcn_permlane32_swap(first, second, false, false));
  return {swapped[0], swapped[1]};
}

// Lanes l and l + 32 both receive combine(value of lane l, value of lane l + 32).
template <class Combine> FMHA950_INLINE float across_halves(float value, Combine combine) {
  const SwappedHalves halves = swap_halves(bits_as<uint32_t>(value), bits_as<uint32_t>(value));
  return combine(bits_as<float>(halves.first), bits_as<float>(halves.second));
}

// Lanes that are alike modulo 16 all receive combine() of their four values.
template <class Combine> FMHA950_INLINE float across_quarters(float value, Combine combine) {
  const uint32_t word = bits_as<uint32_t>(value);
  // Swaps quarters 1 and 3 of one register with quarters 0 and 2 of the other.
  const Word2 swapped = bits_as<Word2>(__builtin_amdgcn_permlane16_swap(word, word, false, false));
  const uint32_t first = swapped[0], second = swapped[1];
  return across_halves(combine(bits_as<float>(first), bits_as<float>(second)), combine);
}

} // namespace fmha950::gfx950
