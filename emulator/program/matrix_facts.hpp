#pragma once
// What a matrix instruction is, for those who do not execute it: its row says it once, and checks and cycle
// model read it.

#include <cstdint>

namespace fmha950::isa {

enum class MatrixUnit : uint8_t { none, xdl, sgemm, dgemm };       // as the wait-state rules call them
enum class MatrixForm : uint8_t { dense, sparse, f8f6f4, scaled }; // scaled: f8f6f4 with scales

// A pass takes 4 clocks (mfma_gfx950.md section 5.1). For f8f6f4 this is the count without an 8-bit operand;
// with one it doubles.
struct Passes {
  constexpr explicit Passes(int passes) : count(static_cast<uint8_t>(passes)) {}
  uint8_t count;
};

struct MatrixFacts {
  MatrixUnit unit = MatrixUnit::none;
  MatrixForm form = MatrixForm::dense;
  uint8_t rows = 0, depth = 0, blocks = 0; // M = N, K of the dense product, independent blocks
  uint8_t passes = 0;
  bool fp8 = false; // A and B are FP8 or BF8; of f8f6f4 cbsz and blgp say what they are

  // Whether cbsz and blgp name the types of A and B.
  constexpr bool is_f8f6f4() const { return form == MatrixForm::f8f6f4 || form == MatrixForm::scaled; }
};

template <class Shape>
constexpr MatrixFacts matrix_facts(MatrixUnit unit, MatrixForm form, int depth, Passes passes,
                                   bool fp8 = false) {
  return {unit, form, Shape::rows, static_cast<uint8_t>(depth), Shape::blocks, passes.count, fp8};
}

} // namespace fmha950::isa
