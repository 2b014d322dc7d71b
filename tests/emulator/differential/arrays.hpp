#pragma once
// Arrays with an index that only the running program knows, for the host and for gfx950. clang keeps them in registers and
// indexes those (s_set_gpr_idx_on).

#include <stdint.h>

namespace fmha950::differential {

// Reads one element and writes another, round for round; the result depends on each of them and on their order.
template <class T, int size> constexpr T walk(T a, T b, uint32_t read, uint32_t write, uint32_t rounds) {
  T values[size];
  for (int i = 0; i < size; ++i) values[i] = a + T(i) * b;
  for (uint32_t round = 0; round < rounds; ++round) {
    const T value = values[(read + round * 3) % size];
    values[(write + round * 5) % size] = value + value * b + T(round);
  }
  T sum = 0;
  for (int i = 0; i < size; ++i) sum = sum + sum + values[i];
  return sum;
}

// F(name, type, elements)
#define FMHA950_INDEXED_ARRAYS(F)                                                                            \
  F(u32_12, uint32_t, 12)                                                                                    \
  F(u32_16, uint32_t, 16)                                                                                    \
  F(f32_7, float, 7)                                                                                         \
  F(f64_8, double, 8)                                                                                        \
  F(u64_6, uint64_t, 6)

} // namespace fmha950::differential
