// v_mfma_f32_{16x16x128,32x32x64}_f8f6f4 and their scaled forms: 4, 6 and 8-bit operands in any mix, one E8M0
// scale per 32 k (mfma_gfx950.md section 3).
#include "emulator/isa/families.hpp"
#include "emulator/isa/mfma_tile.hpp"
#include "emulator/memory/fault.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using numerics::Format;

template <class Shape>
void unpack_format(const uint32_t* registers, uint32_t code, Unpacked<Shape, float>& operand) {
  switch (static_cast<Format>(code)) {
  case Format::fp8: return unpack<Shape, Fp8>(registers, operand);
  case Format::bf8: return unpack<Shape, Bf8>(registers, operand);
  case Format::fp6: return unpack<Shape, Fp6>(registers, operand);
  case Format::bf6: return unpack<Shape, Bf6>(registers, operand);
  case Format::fp4: return unpack<Shape, Fp4>(registers, operand);
  }
  machine::raise_fault(
      "cbsz or blgp of an f8f6f4 matrix instruction is not 0 (fp8), 1 (bf8), 2 (fp6), 3 (bf6) or 4 (fp4)");
}

/// E8M0 bytes of one operand: code[row or column][32-block of k].
template <class Shape> struct Scales {
  static constexpr int blocks = Shape::depth / numerics::scale_block;
  uint8_t code[Shape::rows][blocks];
  alignas(64) float value[blocks][Shape::rows]; // only after read()

  /// The plain instructions scale by 1 (facts 3.4).
  Scales() { __builtin_memset(code, numerics::e8m0_one, sizeof code); }

  /// The prefix's `operand` (0: A, 1: B): the byte that op_sel_hi, op_sel choose, in lane = row + M*block
  /// (facts 3.3).
  void read(const Wave& wave, const Instruction& in, int operand) {
    const uint32_t source = in.words[1] >> 9 * operand & 0x1ff;
    if (source < 256) machine::raise_fault("a scale operand of v_mfma_scale is not a VGPR");
    const uint32_t* lanes = wave.lanes(static_cast<int>(source - 256));
    const uint32_t byte = (in.words[1] >> (27 + operand) & 1) << 1 | (in.words[0] >> (11 + operand) & 1);
    for (int block = 0; block < blocks; ++block)
      for (int row = 0; row < Shape::rows; ++row)
        set(row, block, lanes[row + Shape::rows * block] >> 8 * byte & 0xff);
  }
  void set(int row, int block, uint32_t byte) {
    code[row][block] = static_cast<uint8_t>(byte);
    value[block][row] = numerics::f32_from_e8m0(static_cast<uint8_t>(byte));
  }
  /// Whether products of two such scales are normal f32 values.
  bool moderate() const {
    bool all = true;
    for (const auto& row : code)
      for (uint8_t byte : row) all &= byte >= 64 && byte <= 190;
    return all;
  }
};

/// What the chain of a block is multiplied by, rounded once.
enum class Scaling {
  none,     ///< the plain instructions
  moderate, ///< products of two scales are normal f32 values
  any
};
template <Scaling scaling, int N>
FMHA950_INLINE Vector<float, N> scaled(Vector<float, N> value, float a, Vector<float, N> b) {
  if constexpr (scaling == Scaling::moderate) return value * (a * b);
  using Wide = Vector<double, N>; // exact: 24 significant bits and three exponents
  const Wide product = __builtin_convertvector(value, Wide) * (double(a) * __builtin_convertvector(b, Wide));
  return __builtin_convertvector(product, Vector<float, N>);
}

/// Per block of 32 k: a chain from zero, scaled, added. Registers hold one chain: sums of blocks before wait
/// in memory.
template <Scaling scaling, class Shape, class Dot>
FMHA950_INLINE void multiply_scaled(const Unpacked<Shape, float>& a, const Unpacked<Shape, float>& b,
                                    const Scales<Shape>& scale_a, const Scales<Shape>& scale_b,
                                    const uint32_t* c, uint32_t* d, Dot dot) {
  constexpr int rows = Shape::rows, width = 16, columns = rows / width, step = sums_in_registers / columns;
  for (int first = 0; first < rows; first += step) {
    alignas(64) float total[step][rows];
    Vector<float, width> sum[step][columns];
#pragma unroll
    for (int block = 0; block < Scales<Shape>::blocks; ++block) {
#pragma unroll
      for (int i = 0; i < step; ++i)
#pragma unroll
        for (int j = 0; j < columns; ++j) sum[i][j] = 0;
#pragma clang loop unroll_count(4)
      for (int k = block * numerics::scale_block; k < (block + 1) * numerics::scale_block; ++k) {
#pragma unroll
        for (int i = 0; i < step; ++i)
#pragma unroll
          for (int j = 0; j < columns; ++j)
            sum[i][j] = multiply_add<width>(a.value[0][k][first + i],
                                            load_vector<float, width>(b.value[0][k] + width * j), sum[i][j]);
      }
#pragma unroll
      for (int i = 0; i < step; ++i)
#pragma unroll
        for (int j = 0; j < columns; ++j) {
          const void* before =
              block == 0 ? static_cast<const void*>(c + output_word<Shape>(0, first + i) + width * j)
                         : total[i] + width * j;
          if constexpr (scaling != Scaling::none)
            sum[i][j] = scaled<scaling, width>(sum[i][j], scale_a.value[block][first + i],
                                               load_vector<float, width>(scale_b.value[block] + width * j));
          sum[i][j] = load_vector<float, width>(before) + sum[i][j];
          if (block + 1 < Scales<Shape>::blocks) store_vector(total[i] + width * j, sum[i][j]);
        }
    }
    write_sums<Shape, step>(sum, a, b, 0, first, c, d, dot);
  }
}

template <class Shape, bool has_scales> void mfma_f8f6f4(Wave& wave, const Instruction& in) {
  constexpr int main = has_scales ? 2 : 0; // the prefix comes first
  constexpr size_t depth = Shape::depth, blocks = Scales<Shape>::blocks;
  const uint32_t format_a = in.words[main] >> 8 & 7, format_b = in.words[main + 1] >> 29;
  Unpacked<Shape, float> a, b;
  unpack_format(wave.lanes(in.src[0].index), format_a, a);
  unpack_format(wave.lanes(in.src[1].index), format_b, b);
  Scales<Shape> scale_a, scale_b;
  if constexpr (has_scales) scale_a.read(wave, in, 0), scale_b.read(wave, in, 1);

  alignas(64) uint32_t copy[output_words<Shape>];
  const uint32_t* c = addend<Shape>(wave, in, copy);
  uint32_t* d = wave.lanes(in.dst);
  if (uses_fdpa(wave)) [[unlikely]] {
    const numerics::Fdpa model =
        numerics::fdpa_of_f8f6f4(static_cast<Format>(format_a), static_cast<Format>(format_b));
    multiply_by_element(a, b, c, d, [&](const float* row, const float* column, float addend, int i, int j) {
      return numerics::dot_fdpa_scaled({row, depth}, {column, depth}, addend, {scale_a.code[i], blocks},
                                       {scale_b.code[j], blocks}, model);
    });
  } else {
    const auto dot = [&](const float* row, const float* column, float addend, int i, int j) {
      return numerics::dot_fma_scaled({row, depth}, {column, depth}, addend, {scale_a.code[i], blocks},
                                      {scale_b.code[j], blocks});
    };
    if constexpr (!has_scales)
      multiply_scaled<Scaling::none>(a, b, scale_a, scale_b, c, d, dot);
    else if (scale_a.moderate() && scale_b.moderate())
      multiply_scaled<Scaling::moderate>(a, b, scale_a, scale_b, c, d, dot);
    else
      multiply_scaled<Scaling::any>(a, b, scale_a, scale_b, c, d, dot);
  }
  if (clamps_overflow(wave)) [[unlikely]]
    clamp_infinities(d, output_words<Shape>);
}

template <class Shape, bool has_scales> constexpr Row small(const char* mnemonic, Passes passes) {
  constexpr MatrixForm form = has_scales ? MatrixForm::scaled : MatrixForm::f8f6f4;
  return {.mnemonic = mnemonic,
          .execute = mfma_f8f6f4<Shape, has_scales>,
          .matrix = matrix_facts<Shape>(MatrixUnit::xdl, form, Shape::depth, passes),
          .approximation = open_sums<Fp8>};
}

constexpr Row rows[] = {
    small<ShapeF8f6f4<16>, false>("v_mfma_f32_16x16x128_f8f6f4", Passes(4)),
    small<ShapeF8f6f4<32>, false>("v_mfma_f32_32x32x64_f8f6f4", Passes(8)),
    small<ShapeF8f6f4<16>, true>("v_mfma_scale_f32_16x16x128_f8f6f4", Passes(4)),
    small<ShapeF8f6f4<32>, true>("v_mfma_scale_f32_32x32x64_f8f6f4", Passes(8)),
};
} // namespace
const Rows rows_mfma_f8f6f4 = rows_of<rows, all_matrix>();
} // namespace fmha950::isa::FMHA950_SIMD
