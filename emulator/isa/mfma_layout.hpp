#pragma once
// Where matrix elements live in registers: the closed formulas of mfma_gfx950.md section 2.2 (ISA4 section
// 7.1.4), once for all square shapes. M = N rows and columns, K products, B independent blocks.
#include "emulator/isa/vector.hpp"

namespace fmha950::isa::FMHA950_SIMD {

/// H consecutive rows of D share a lane (4; for f64 results 1).
template <int M, int K, int B = 1, int H = 4> struct Shape {
  static constexpr int rows = M, depth = K, blocks = B;
  static constexpr int k_per_lane = K * M * B / wave_lanes; // K_L
  static constexpr int k_slices = wave_lanes / (M * B);     // lanes of a slice hold the same k

  /// Lane of A[b,i,k], and of B[b,k,i]: i + first_input_lane(b, k's slice).
  static constexpr int first_input_lane(int block, int slice) { return M * (block + B * slice); }
  /// k of item t in a lane of `slice`. A type's width does not matter here:
  /// items are consecutive bits of the operand.
  template <class Type> static constexpr int k_of(int slice, int item) { return k_per_lane * slice + item; }

  static constexpr int blocks_per_item = (wave_lanes * H + M * M - 1) / (M * M); // B_I
  static constexpr int rows_per_item = wave_lanes / (blocks_per_item * M);       // M_I
  static constexpr int items_per_block = M / (H * rows_per_item);                // G
  /// D[b,i,j] is lane `output_lane + j` of item `output_item`; C likewise.
  static constexpr int output_item(int block, int row) {
    return row % H + H * (row / (H * rows_per_item) + items_per_block * (block / blocks_per_item));
  }
  static constexpr int output_lane(int block, int row) {
    return M * (row / H % rows_per_item + rows_per_item * (block % blocks_per_item));
  }
};

/// v_mfma_*_f8f6f4: 32 items per lane. fp4, fp6 and bf6 are consecutive in k; 8-bit types keep the halves of
/// k apart (facts 3.2).
template <int M> struct ShapeF8f6f4 : Shape<M, 128 * 16 / M> {
  template <class Type> static constexpr int k_of(int slice, int item) {
    return Type::width == 8 ? 16 * slice + item % 16 + 16 * wave_lanes / M * (item / 16) : 32 * slice + item;
  }
};

} // namespace fmha950::isa::FMHA950_SIMD
