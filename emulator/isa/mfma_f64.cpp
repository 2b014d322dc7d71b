// f64 matrix instructions: a chain of f64 FMAs over k (mfma_gfx950.md sections 1.2, 2.4).
#include "emulator/isa/families.hpp"
#include "emulator/isa/mfma_layout.hpp"
#include "emulator/machine/wave.hpp"
#include "numerics/mfma_arithmetic.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using machine::Wave;

/// Where C and D lie: item (register pair) and lane of column 0.
struct Place {
  int item, lane;
};
template <class Shape> constexpr Place place_of(int block, int row) {
  // Sources disagree for 4x4x4: this is the map of AMD's calculator and emulator,
  // not that of the guide's general formula.
  if constexpr (Shape::blocks == 4) return {0, 4 * block + 16 * row};
  return {Shape::output_item(block, row), Shape::output_lane(block, row)};
}

double read(const Wave& wave, int vgpr, int lane) {
  const uint64_t low = wave.lanes(vgpr)[lane], high = wave.lanes(vgpr + 1)[lane];
  return __builtin_bit_cast(double, high << 32 | low);
}
void write(Wave& wave, int vgpr, int lane, double value) {
  const auto bits = __builtin_bit_cast(uint64_t, value);
  wave.lanes(vgpr)[lane] = static_cast<uint32_t>(bits);
  wave.lanes(vgpr + 1)[lane] = static_cast<uint32_t>(bits >> 32);
}

template <class Shape> void mfma_f64(Wave& wave, const Instruction& in) {
  static_assert(Shape::k_per_lane == 1);
  constexpr int rows = Shape::rows, depth = Shape::depth;
  const uint32_t negate = in.words[1] >> 29; // blgp: A, B, C (facts 2.5)
  const auto signed_as = [&](int operand, double value) { return negate >> operand & 1 ? -value : value; };
  const Source& source = in.src[2];
  double result[Shape::blocks][rows][rows];
  for (int block = 0; block < Shape::blocks; ++block)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j) {
        double a[depth], b[depth];
        for (int k = 0; k < depth; ++k) {
          const int lane = Shape::first_input_lane(block, k);
          a[k] = signed_as(0, read(wave, in.src[0].index, lane + i));
          b[k] = signed_as(1, read(wave, in.src[1].index, lane + j));
        }
        const Place place = place_of<Shape>(block, i);
        const double c = source.kind == Source::Kind::vgpr
                             ? read(wave, source.index + 2 * place.item, place.lane + j)
                             : __builtin_bit_cast(double, source.value);
        result[block][i][j] = numerics::dot_fma(a, b, signed_as(2, c));
      }
  for (int block = 0; block < Shape::blocks; ++block)
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < rows; ++j) {
        const Place place = place_of<Shape>(block, i);
        write(wave, in.dst + 2 * place.item, place.lane + j, result[block][i][j]);
      }
}

template <class Shape> constexpr Row f64(const char* mnemonic, Passes passes) {
  return {.mnemonic = mnemonic,
          .execute = mfma_f64<Shape>,
          .constant = {ConstantType::f64, ConstantType::f64, ConstantType::f64},
          .matrix = matrix_facts<Shape>(MatrixUnit::dgemm, MatrixForm::dense, Shape::depth, passes)};
}

constexpr Row rows[] = {
    f64<Shape<16, 4, 1, 1>>("v_mfma_f64_16x16x4_f64", Passes(16)),
    f64<Shape<4, 4, 4, 1>>("v_mfma_f64_4x4x4_4b_f64", Passes(4)), // the guide says 8
};
} // namespace
const Rows rows_mfma_f64 = rows_of<rows, all_matrix>();
} // namespace fmha950::isa::FMHA950_SIMD
