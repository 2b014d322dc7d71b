// One 16 x 16 tile of Q K^T in one wave: 448 fp8 columns, and 64 bf16 columns if asked for. Rows of Q are
// operand A, rows of K operand B. Scales are applied in software, to sums over the columns that share one, or
// by the matrix instruction.

#include "gfx950/convert.hpp"
#include "gfx950/mfma.hpp"
#include "gfx950/mfma_fp8.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/unroll.hpp"
#include "harness/instruction/kernel_arguments.hpp"

namespace fmha950::instruction {

using namespace gfx950;

FMHA950_INLINE uint32_t quarter() { return lane_id() / tile_rows; }
FMHA950_INLINE uint32_t row() { return lane_id() % tile_rows; }

template <class Chunk, class Element>
FMHA950_INLINE Chunk chunk(const Element* rows, int row_elements, int column) {
  return *reinterpret_cast<const Chunk*>(rows + row() * row_elements + column);
}

FMHA950_INLINE Float4 add_rope(const MfmaTileArguments& arguments, Float4 sum) {
  using Mfma = Mfma16x16x32<bf16>;
  if (arguments.with_rope == 0) return sum;
  const auto step = [&](const TileOperand& operand, int column) {
    return chunk<Mfma::Operand>(operand.rope, rope_columns, column + 8 * quarter());
  };
  for (int column = 0; column < (protection("rope_columns") ? rope_columns : 32); column += 32)
    sum = Mfma::multiply_add(step(arguments.q, column), step(arguments.k, column), sum);
  return sum;
}

FMHA950_INLINE void store(const MfmaTileArguments& arguments, Float4 sum) {
  for (int r = 0; r < 4; ++r) arguments.scores[(4 * quarter() + r) * tile_rows + row()] = sum[r];
}

FMHA950_INLINE float scale(const TileOperand& operand, uint32_t row, int column) {
  const int of_columns = protection("scale_of_columns") ? column : (column + 64) % nope_columns;
  return e8m0_value(operand.scales[row * scale_row_bytes + of_columns / scale_columns]);
}

// v_mfma_f32_16x16x32_fp8_fp8; COLUMNS share a scale, 0: there are none.
template <int COLUMNS> FMHA950_INLINE void software(const MfmaTileArguments& arguments) {
  using Mfma = Mfma16x16x32<fp8>;
  constexpr int columns = COLUMNS == 0 ? nope_columns : COLUMNS;
  const auto step = [&](const TileOperand& operand, int column) {
    return chunk<Mfma::Operand>(operand.nope, nope_row_bytes, column + 8 * quarter());
  };
  Float4 sum = {};
  for (int first = 0; first < nope_columns; first += columns) {
    Float4 partial = {};
    for (int column = first; column < first + columns; column += 32)
      partial = Mfma::multiply_add(step(arguments.q, column), step(arguments.k, column), partial);
    if constexpr (COLUMNS != 0)
      for (int r = 0; r < 4; ++r)
        partial[r] *= scale(arguments.q, 4 * quarter() + r, first) * scale(arguments.k, row(), first);
    sum += partial;
  }
  store(arguments, add_rope(arguments, sum));
}

// The columns of step STEP of 128. The last has only the lower 64:
// what lies beyond them in memory may be NaN.
template <int STEP> FMHA950_INLINE Word8 step_of(const TileOperand& operand) {
  const int column = 128 * STEP + 16 * quarter();
  const Word4 lower = chunk<Word4>(operand.nope, nope_row_bytes, column);
  Word4 upper = {};
  if constexpr (STEP < nope_columns / 128 || !protection("padding_columns"))
    upper = chunk<Word4>(operand.nope, nope_row_bytes, column + 64);
  return __builtin_shufflevector(lower, upper, 0, 1, 2, 3, 4, 5, 6, 7);
}

// Byte s is the scale of step s for 32 columns; the lane's quarter is their number. The last step has no
// columns for the upper half of the lanes, whose scales may be NaN in memory.
FMHA950_INLINE uint32_t scales_of(const TileOperand& operand) {
  uint32_t scales = 0;
  for (int step = 0; step < 4; ++step)
    scales |= chunk<uint8_t>(operand.scales, scale_row_bytes, 4 * step + quarter()) << 8 * step;
  return protection("padding_scales") && quarter() >= 2 ? scales & 0x00ffffff : scales;
}

// v_mfma_f32_16x16x128_f8f6f4 and v_mfma_scale_f32_16x16x128_f8f6f4.
template <bool SCALED> FMHA950_INLINE void hardware(const MfmaTileArguments& arguments) {
  const uint32_t q_scales = scales_of(arguments.q), k_scales = scales_of(arguments.k);
  Float4 sum = {};
  unrolled<4>([&](auto step) {
    constexpr int byte = protection("scale_of_step") ? decltype(step){} : 0;
    const Word8 q = step_of<step>(arguments.q), k = step_of<step>(arguments.k);
    if constexpr (SCALED)
      sum = Fp8Mfma16x16x128::multiply_add<byte, byte>(q, k, sum, q_scales, k_scales);
    else
      sum = Fp8Mfma16x16x128::multiply_add(q, k, sum);
  });
  store(arguments, add_rope(arguments, sum));
}

FMHA950_KERNEL(64, 1) void mfma_tile_software_unscaled(MfmaTileArguments arguments) {
  software<0>(arguments);
}
FMHA950_KERNEL(64, 1) void mfma_tile_software_per_64(MfmaTileArguments arguments) { software<64>(arguments); }
FMHA950_KERNEL(64, 1) void mfma_tile_software_per_32(MfmaTileArguments arguments) { software<32>(arguments); }
FMHA950_KERNEL(64, 1) void mfma_tile_hardware_unscaled(MfmaTileArguments arguments) {
  hardware<false>(arguments);
}
FMHA950_KERNEL(64, 1) void mfma_tile_hardware_scaled(MfmaTileArguments arguments) {
  hardware<true>(arguments);
}

} // namespace fmha950::instruction
