#pragma once
// How one K step of some rows of A times as many rows of B is multiplied, by element and edge of the matrix
// instruction. A lane holds `reads` chunks of 16 bytes of a row: lane l those of row l % edge, chunks
// l / edge + 64 / edge * s for s = 0, 1, ... k is summed, so that any order of it serves that A and B share.

#include "gfx950/mfma.hpp"
#include "gfx950/mfma_fp8.hpp"

namespace fmha950::calibration {

using namespace gfx950;

// Every chunk is an operand.
template <class Mfma, int EDGE, int READS> struct MultiplyChunks {
  using Accumulator = typename Mfma::Accumulator;
  using Operand = typename Mfma::Operand;
  static constexpr int edge = EDGE, reads = READS, instructions = READS;

  template <int I> static FMHA950_INLINE Word4 operand(const Word4 (&chunks)[READS]) { return chunks[I]; }
  static FMHA950_INLINE void add(Word4 a, Word4 b, Accumulator& sum) {
    sum = Mfma::multiply_add(bits_as<Operand>(a), bits_as<Operand>(b), sum);
  }
};

// Two chunks are an operand.
template <class Mfma, int EDGE, int READS> struct MultiplyChunkPairs {
  using Accumulator = typename Mfma::Accumulator;
  static constexpr int edge = EDGE, reads = READS, instructions = READS / 2;

  template <int I> static FMHA950_INLINE Word8 operand(const Word4 (&chunks)[READS]) {
    return joined(chunks[2 * I], chunks[2 * I + 1]);
  }
  static FMHA950_INLINE void add(Word8 a, Word8 b, Accumulator& sum) { sum = Mfma::multiply_add(a, b, sum); }
};

using Bf16x16 = MultiplyChunks<Mfma16x16x32<bf16>, 16, 2>;
using Bf16x32 = MultiplyChunks<Mfma32x32x16<bf16>, 32, 4>;
using Fp8x16 = MultiplyChunkPairs<Fp8Mfma16x16x128, 16, 2>;
using Fp8x32 = MultiplyChunkPairs<Fp8Mfma32x32x64, 32, 4>;

} // namespace fmha950::calibration
