#pragma once
// A matrix instruction between its registers:
// operands are unpacked to k-major rows, then multiplied into result rows.
#include "emulator/isa/mfma_layout.hpp"
#include "emulator/isa/mfma_lookup.hpp"
#include "emulator/isa/mfma_types.hpp"
#include "emulator/machine/launch.hpp"
#include "emulator/machine/workgroup.hpp"

namespace fmha950::isa::FMHA950_SIMD {

using machine::Wave;

/// A or B: element k of row (of A) or column (of B) i is value[block][k][i].
template <class Shape, class Element> struct Unpacked {
  alignas(64) Element value[Shape::blocks][Shape::depth][Shape::rows];
};

#ifdef __AVX512BW__
/// Where 8-bit items go: sixteen lanes are a piece, which has four items of each register.
template <class Shape, class Type> struct BytePlaces {
  static constexpr int registers = Shape::k_per_lane / 4, halves = Shape::rows / 16;
  struct Piece {
    int first_lane, place[registers][4];
  };
  static constexpr std::array<Piece, Shape::k_slices * halves> make() {
    std::array<Piece, Shape::k_slices * halves> pieces{};
    for (int p = 0; p < Shape::k_slices * halves; ++p) {
      const int slice = p / halves, row = p % halves * 16;
      pieces[p].first_lane = Shape::first_input_lane(0, slice) + row;
      for (int item = 0; item < Shape::k_per_lane; ++item)
        pieces[p].place[item / 4][item % 4] = Shape::template k_of<Type>(slice, item) * Shape::rows + row;
    }
    return pieces;
  }
  static constexpr auto pieces = make();
};

template <class Shape, class Type>
FMHA950_INLINE void unpack_by_lookup(const uint32_t* registers, Unpacked<Shape, float>& operand) {
  using Format = typename Type::Format;
  constexpr int width = Type::width;
  if constexpr (width == 8) {
    using Places = BytePlaces<Shape, Type>;
    float* const out = operand.value[0][0];
    return permutes_bytes() ? widen_by_bytes<Format, Places>(registers, out)
                            : widen_by_words<Format, Places>(registers, out);
  }
  for (int slice = 0; slice < Shape::k_slices; ++slice)
    for (int half = 0; half < Shape::rows; half += 16) {
      const uint32_t* lanes = registers + Shape::first_input_lane(0, slice) + half;
      const auto out = [&](int item) {
        return operand.value[0][Shape::template k_of<Type>(slice, item)] + half;
      };
#pragma unroll
      for (int item = 0; item < Shape::k_per_lane; ++item) {
        const int word = item * width / 32, shift = item * width % 32;
        Vector<uint32_t, 16> raw = load_vector<uint32_t, 16>(lanes + word * wave_lanes) >> shift;
        if (shift + width > 32)
          raw |= load_vector<uint32_t, 16>(lanes + (word + 1) * wave_lanes) << (32 - shift);
        store_vector(out(item), looked_up<Format>(__builtin_bit_cast(__m512i, raw)));
      }
    }
}
#endif

/// `registers` are consecutive VGPRs, [register][lane]. Item t sits at bit t*width, across register borders
/// if need be. One copy serves all instructions of a shape that have an operand of this type.
template <class Shape, class Type>
[[gnu::noinline]] void unpack(const uint32_t* registers, Unpacked<Shape, typename Type::Element>& operand) {
  constexpr int rows = Shape::rows;
#ifdef __AVX512BW__
  if constexpr (Type::has_lookup && rows >= 16) return unpack_by_lookup<Shape, Type>(registers, operand);
#endif
#pragma unroll
  for (int item = 0; item < Shape::k_per_lane; ++item) {
    const int word = item * Type::width / 32, shift = item * Type::width % 32;
    for (int slice = 0; slice < Shape::k_slices; ++slice)
      for (int block = 0; block < Shape::blocks; ++block) {
        const uint32_t* lanes = registers + word * wave_lanes + Shape::first_input_lane(block, slice);
        Vector<uint32_t, rows> raw = load_vector<uint32_t, rows>(lanes) >> shift;
        if (shift + Type::width > 32) raw |= load_vector<uint32_t, rows>(lanes + wave_lanes) << (32 - shift);
        store_vector(operand.value[block][Shape::template k_of<Type>(slice, item)],
                     Type::template widen<rows>(raw));
      }
  }
}

/// C and D as their registers lie in memory: the word where row `row` of a block starts.
template <class Shape> constexpr int output_word(int block, int row) {
  return wave_lanes * Shape::output_item(block, row) + Shape::output_lane(block, row);
}
template <class Shape> inline constexpr int output_words = Shape::blocks * Shape::rows * Shape::rows;

/// The words of C. A constant, or registers that D overlaps in part, are copied to `copy` first.
template <class Shape>
FMHA950_INLINE const uint32_t* addend(const Wave& wave, const Instruction& in, uint32_t* copy) {
  const Source& source = in.src[2];
  if (source.kind != Source::Kind::vgpr) {
    for (int word = 0; word < output_words<Shape>; ++word) copy[word] = static_cast<uint32_t>(source.value);
    return copy;
  }
  const uint32_t* registers = wave.lanes(source.index);
  const int distance = source.index - in.dst, count = output_words<Shape> / wave_lanes;
  if (distance == 0 || distance >= count || distance <= -count) [[likely]]
    return registers;
  __builtin_memcpy(copy, registers, output_words<Shape> * sizeof(uint32_t));
  return copy;
}

/// The definition of an element: row of A, column of B, c, and which row and column.
template <class Element> using ScalarDot = Element (*)(const Element*, const Element*, Element, int, int);

/// One element by `dot(row of A, column of B, c, i, j)`, the scalar definition of numerics.
template <class Shape, class Element, class Dot>
Element element(const Unpacked<Shape, Element>& a, const Unpacked<Shape, Element>& b, int block, int i, int j,
                uint32_t c, Dot dot) {
  Element row[Shape::depth], column[Shape::depth];
  for (int k = 0; k < Shape::depth; ++k) {
    row[k] = a.value[block][k][i];
    column[k] = b.value[block][k][j];
  }
  return dot(row, column, __builtin_bit_cast(Element, c), i, j);
}

/// The whole instruction, element by element: the slow way of fdpa arithmetic and of clamped results.
template <class Shape, class Element, class Dot>
void multiply_by_element(const Unpacked<Shape, Element>& a, const Unpacked<Shape, Element>& b,
                         const uint32_t* c, uint32_t* d, Dot dot) {
  for (int block = 0; block < Shape::blocks; ++block)
    for (int i = 0; i < Shape::rows; ++i)
      for (int j = 0; j < Shape::rows; ++j) {
        const int word = output_word<Shape>(block, i) + j;
        d[word] = __builtin_bit_cast(uint32_t, element(a, b, block, i, j, c[word], dot));
      }
}

/// Which NaN comes out of x86's FMA depends on the order of its operands, and the facts say another one: NaN
/// elements of sum[step][rows] are computed again.
template <class Shape, class Dot>
[[gnu::noinline, gnu::cold]] void repair_nans(const Unpacked<Shape, float>& a,
                                              const Unpacked<Shape, float>& b, int block, int first, int step,
                                              const uint32_t* c, float* sum, Dot dot) {
  for (int i = 0; i < step; ++i)
    for (int j = 0; j < Shape::rows; ++j)
      if (float& x = sum[i * Shape::rows + j]; x != x)
        x = element(a, b, block, first + i, j, c[output_word<Shape>(block, first + i) + j], dot);
}

template <int N>
FMHA950_INLINE Vector<float, N> multiply_add(float a, Vector<float, N> b, Vector<float, N> c) {
  return __builtin_elementwise_fma(Vector<float, N>(a), b, c);
}
template <int N>
FMHA950_INLINE Vector<uint32_t, N> multiply_add(uint32_t a, Vector<uint32_t, N> b, Vector<uint32_t, N> c) {
  return a * b + c;
}

// Sums held in registers while k runs, in vectors of 16: half of 32 AVX-512 registers, or half of
// 16 narrower ones; the rest holds B and the broadcast A. The order of k is the same in every blocking,
// and so is the result.
#ifdef __AVX512F__
inline constexpr int sums_in_registers = 16;
#else
inline constexpr int sums_in_registers = 4;
#endif

/// Rows [first, first + step) of D. Float elements that are NaN are computed again.
template <class Shape, int step, class Element, int width, int columns, class Dot>
FMHA950_INLINE void write_sums(Vector<Element, width> (&sum)[step][columns],
                               const Unpacked<Shape, Element>& a, const Unpacked<Shape, Element>& b,
                               int block, int first, const uint32_t* c, uint32_t* d, Dot dot) {
  if constexpr (__is_same(Element, float)) {
    Vector<int32_t, width> nan = 0;
#pragma unroll
    for (int s = 0; s < step * columns; s += 2) { // in pairs: one comparison on AVX-512
      const Vector<Element, width>&x = sum[s / columns][s % columns],
                            &y = sum[(s + 1) / columns][(s + 1) % columns];
      nan |= (x != x) | (y != y);
    }
    if (__builtin_reduce_or(nan) != 0) [[unlikely]] {
      alignas(64) float repaired[step][columns][width];
      __builtin_memcpy(repaired, sum, sizeof sum);
      repair_nans(a, b, block, first, step, c, repaired[0][0], dot);
      __builtin_memcpy(sum, repaired, sizeof sum);
    }
  }
#pragma unroll
  for (int i = 0; i < step; ++i)
#pragma unroll
    for (int j = 0; j < columns; ++j)
      store_vector(d + output_word<Shape>(block, first + i) + width * j, sum[i][j]);
}

/// D = C + A*B of one block, each element a chain of multiply-adds over k = 0, 1, ...
/// `c` and `d` are registers, the same or apart. `dot` is the scalar definition. One copy serves all types of A and B.
template <class Shape, class Element>
[[gnu::noinline]] void multiply(const Unpacked<Shape, Element>& a, const Unpacked<Shape, Element>& b,
                                int block, const uint32_t* c, uint32_t* d, ScalarDot<Element> dot) {
  constexpr int rows = Shape::rows, width = rows < 16 ? rows : 16, columns = rows / width;
  constexpr int step = sums_in_registers / columns < rows ? sums_in_registers / columns : rows;
  for (int first = 0; first < rows; first += step) {
    Vector<Element, width> sum[step][columns];
#pragma unroll
    for (int i = 0; i < step; ++i)
#pragma unroll
      for (int j = 0; j < columns; ++j)
        sum[i][j] = load_vector<Element, width>(c + output_word<Shape>(block, first + i) + width * j);
#pragma clang loop unroll_count(4)
    for (int k = 0; k < Shape::depth; ++k) {
#pragma unroll
      for (int i = 0; i < step; ++i)
#pragma unroll
        for (int j = 0; j < columns; ++j)
          sum[i][j] =
              multiply_add<width>(a.value[block][k][first + i],
                                  load_vector<Element, width>(b.value[block][k] + width * j), sum[i][j]);
    }
    write_sums<Shape, step>(sum, a, b, block, first, c, d, dot);
  }
}

/// MODE.FP16_OVFL clamps an overflowed f32 result to +-MAX_F32 and saturates i32 ones (facts 1.1).
FMHA950_INLINE bool clamps_overflow(const Wave& wave) { return wave.mode >> 23 & 1; }
inline void clamp_infinities(uint32_t* words, int count) {
  for (int i = 0; i < count; ++i)
    if ((words[i] & 0x7fffffffu) == numerics::f32_infinity) --words[i]; // the next code below is MAX_F32
}

FMHA950_INLINE bool uses_fdpa(const Wave& wave) {
  return wave.workgroup->launch->options.mfma == machine::MfmaArithmetic::fdpa;
}

} // namespace fmha950::isa::FMHA950_SIMD
