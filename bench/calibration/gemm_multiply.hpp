#pragma once
// How one K step of EDGE rows of A times EDGE rows of B is multiplied, by element and edge of the matrix
// instruction. A lane holds `reads` chunks of 16 bytes of a row: lane l those of row l % EDGE, chunks
// l / EDGE + 64 / EDGE * s for s = 0, 1, ... k is summed, so that any order of it serves that A and B share.

#include "gfx950/mfma.hpp"
#include "gfx950/mfma_fp8.hpp"

namespace fmha950::calibration {

using namespace gfx950;

template <class Element, int EDGE> struct Multiply;

template <class Mfma, int READS> struct MultiplyChunkByChunk {
  using Accumulator = typename Mfma::Accumulator;
  using Operand = typename Mfma::Operand;
  static constexpr int reads = READS;
  static constexpr int instructions = READS;

  template <int I>
  static FMHA950_INLINE Accumulator add(const Word4 (&a)[READS], const Word4 (&b)[READS], Accumulator c) {
    return Mfma::multiply_add(bits_as<Operand>(a[I]), bits_as<Operand>(b[I]), c);
  }
};
template <> struct Multiply<bf16, 16> : MultiplyChunkByChunk<Mfma16x16x32<bf16>, 2> {};
template <> struct Multiply<bf16, 32> : MultiplyChunkByChunk<Mfma32x32x16<bf16>, 4> {};

template <class Mfma, int READS> struct MultiplyTwoChunks {
  using Accumulator = typename Mfma::Accumulator;
  static constexpr int reads = READS;
  static constexpr int instructions = READS / 2;

  template <int I>
  static FMHA950_INLINE Accumulator add(const Word4 (&a)[READS], const Word4 (&b)[READS], Accumulator c) {
    return Mfma::multiply_add(joined(a[2 * I], a[2 * I + 1]), joined(b[2 * I], b[2 * I + 1]), c);
  }
};
template <> struct Multiply<fp8, 16> : MultiplyTwoChunks<Fp8Mfma16x16x128, 2> {};
template <> struct Multiply<fp8, 32> : MultiplyTwoChunks<Fp8Mfma32x32x64, 4> {};

} // namespace fmha950::calibration
