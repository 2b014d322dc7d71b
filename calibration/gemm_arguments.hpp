#pragma once
// What the host hands to the GEMM kernels of this folder, by value. Host and device include this file, so it
// holds fixed-width types only.

#include "calibration/workgroup_order.hpp"

#include <stdint.h>

namespace fmha950::calibration {

constexpr uint32_t tile_edge = 256;              // a workgroup's part of C is 256 x 256
constexpr uint32_t step_bytes = 128;             // of a row of A or B in one K step: 64 bf16 or 128 fp8
constexpr uint32_t smallest_steps = 2;           // both LDS buffers are filled before the first product
constexpr uint32_t largest_row_bytes = 1u << 23; // a tile's rows are reached by 32-bit offsets

// C = A B^T, all row-major without padding: A [m, k], B [n, k], C [m, n] in bf16.
struct GemmArguments {
  const void* a;
  const void* b;
  void* c;
  uint32_t m, n;      // multiples of 256
  uint32_t row_bytes; // of A and B: k times the element's bytes, a multiple of 128, at least 256
  TileOrder order;
};

} // namespace fmha950::calibration
