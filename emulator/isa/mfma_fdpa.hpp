#pragma once
// The fdpa form (numerics/mfma_arithmetic.hpp, Fdpa) for whole rows of results: the same integers as in the
// scalar definition, held in doubles, where none of these products, truncations and sums can round. Lanes
// with NaN, infinity or a negative zero result go to the scalar definition.
#include "emulator/isa/mfma_tile.hpp"

namespace fmha950::isa::FMHA950_SIMD {

template <int N> FMHA950_INLINE Vector<double, N> power_of_two(Vector<int64_t, N> n) {
  n = n < -1022 ? -1022 : n;
  n = n > 1023 ? 1023 : n;
  return __builtin_bit_cast(Vector<double, N>, (n + 1023) << 52);
}
template <int N> FMHA950_INLINE Vector<int64_t, N> larger(Vector<int64_t, N> a, Vector<int64_t, N> b) {
  return a > b ? a : b;
}

/// An operand as doubles, with the exponents that the model aligns by. A zero's exponent is below any other
/// sum of two.
template <class Shape> struct Aligned {
  alignas(64) double value[Shape::depth][Shape::rows];
  alignas(64) int64_t exponent[Shape::depth][Shape::rows];

  Aligned(const float (&rows)[Shape::depth][Shape::rows], int min_exponent) {
    for (int k = 0; k < Shape::depth; ++k)
      for (int i = 0; i < Shape::rows; ++i) {
        const int field = static_cast<int>(numerics::bits_of(rows[k][i]) >> 23 & 0xff) - 127;
        value[k][i] = rows[k][i];
        exponent[k][i] = rows[k][i] == 0 ? -5000 : field < min_exponent ? min_exponent : field;
      }
  }
};

/// sum * 2^(exponent - fraction_bits): products that are added together.
template <int N> struct AlignedSum {
  Vector<double, N> sum = 0;
  Vector<int64_t, N> exponent = -10000;
};

template <int N, class Shape>
FMHA950_INLINE AlignedSum<N> sum_products(const Aligned<Shape>& a, const Aligned<Shape>& b, int i, int j,
                                          int first, int end, int stride, int fraction_bits,
                                          Vector<int64_t, N>& special) {
  AlignedSum<N> added;
  for (int k = first; k < end; k += stride)
    added.exponent = larger<N>(added.exponent, a.exponent[k][i] + load_vector<int64_t, N>(b.exponent[k] + j));
  const Vector<double, N> scale = power_of_two<N>(fraction_bits - added.exponent);
  for (int k = first; k < end; k += stride) {
    const Vector<double, N> product = a.value[k][i] * load_vector<double, N>(b.value[k] + j);
    special |= !(__builtin_elementwise_abs(product) < 0x1p128);
    added.sum += __builtin_elementwise_trunc(product * scale);
  }
  return added;
}

/// One step of the model: what becomes of `c` (f32 values) when products first .. end-1 are added.
template <int N, class Shape>
FMHA950_INLINE Vector<double, N> fdpa_step(const Aligned<Shape>& a, const Aligned<Shape>& b, int i, int j,
                                           int first, int end, Vector<double, N> c,
                                           const numerics::Fdpa& model, Vector<int64_t, N>& special) {
  const bool two_sums = model.addends == numerics::Addends::even_odd;
  const int fraction = model.fraction_bits, spare = model.sum_bits - fraction;
  auto products = sum_products<N>(a, b, i, j, first, end, two_sums ? 2 : 1, fraction, special);
  if (two_sums) {
    const auto odd = sum_products<N>(a, b, i, j, first + 1, end, 2, fraction, special);
    const auto exponent = larger<N>(products.exponent, odd.exponent);
    const auto aligned = [&](const AlignedSum<N>& added) __attribute__((always_inline)) {
      return __builtin_elementwise_floor(added.sum * power_of_two<N>(added.exponent - exponent));
    };
    products = {aligned(products) + aligned(odd), exponent};
  }
  const auto field = [](Vector<double, N> x) __attribute__((always_inline)) {
    return (__builtin_bit_cast(Vector<int64_t, N>, x) >> 52 & 0x7ff) - 1023;
  };
  const Vector<int64_t, N> c_exponent = larger<N>(field(c), -126),
                           exponent = larger<N>(products.exponent, c_exponent);
  const auto sum =
      __builtin_elementwise_floor(products.sum * power_of_two<N>(products.exponent - exponent + spare));
  Vector<double, N> addend = __builtin_elementwise_floor(c * power_of_two<N>(fraction - exponent));
  if (two_sums) addend = c_exponent < exponent - (fraction + 1) ? Vector<double, N>(0) : addend;
  const Vector<double, N> total = sum + addend * static_cast<double>(1 << spare);
  special |= !(__builtin_elementwise_abs(c) < 0x1p128);
  special |= (total == 0) & (__builtin_bit_cast(Vector<int64_t, N>, c) < 0);

  const Vector<int64_t, N> unit = exponent - model.sum_bits, leading = larger<N>(field(total) + unit, -126);
  const Vector<int64_t, N> dropped = larger<N>(leading - model.normalised_bits - unit, 0);
  const auto kept =
      __builtin_elementwise_floor(total * power_of_two<N>(-dropped)) * power_of_two<N>(unit + dropped);
  return __builtin_convertvector(__builtin_convertvector(kept, Vector<float, N>), Vector<double, N>);
}

/// D = C + A*B of one block in the fdpa form; `dot` is the scalar definition. Not for Addends::exact.
template <class Shape, class Dot>
void multiply_fdpa(const Unpacked<Shape, float>& a, const Unpacked<Shape, float>& b, int block,
                   const uint32_t* c, uint32_t* d, const numerics::Fdpa& model, Dot dot) {
  constexpr int width = Shape::rows < 8 ? Shape::rows : 8;
  const Aligned<Shape> aligned_a(a.value[block], model.min_exponent_a),
      aligned_b(b.value[block], model.min_exponent_b);
  for (int i = 0; i < Shape::rows; ++i)
    for (int j = 0; j < Shape::rows; j += width) {
      const int word = output_word<Shape>(block, i) + j;
      Vector<double, width> sum =
          __builtin_convertvector(load_vector<float, width>(c + word), Vector<double, width>);
      Vector<int64_t, width> special = 0;
      for (int k = 0; k < Shape::depth; k += model.step)
        sum = fdpa_step<width>(aligned_a, aligned_b, i, j, k,
                               k + model.step < Shape::depth ? k + model.step : Shape::depth, sum, model,
                               special);
      uint32_t addends[width];
      __builtin_memcpy(addends, c + word, sizeof addends);
      store_vector(d + word, __builtin_convertvector(sum, Vector<float, width>));
      if (__builtin_reduce_or(special) == 0) [[likely]]
        continue;
      for (int lane = 0; lane < width; ++lane)
        if (special[lane])
          d[word + lane] =
              __builtin_bit_cast(uint32_t, element(a, b, block, i, j + lane, addends[lane], dot));
    }
}

} // namespace fmha950::isa::FMHA950_SIMD
