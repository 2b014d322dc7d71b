#pragma once
// A GEMM problem for the kernels of gemm.hip: memory, inputs, launch, result.

#include "calibration/gemm_arguments.hpp"
#include "interface/hip.hpp"
#include "interface/tensor.hpp"

#include <span>

namespace fmha950::calibration {

struct GemmKernel {
  std::string_view name; // in the code object calibration_gemm
  ElementType element;   // of A and B
  unsigned threads;
};
std::span<const GemmKernel> gemm_kernels();

struct GemmShape {
  uint32_t m, n, k;
};

class Gemm {
 public:
  // Throws InvalidInput naming the kernels that exist, or what a shape must be. Memory is not filled.
  Gemm(std::string_view kernel, GemmShape shape, TileOrder order);

  const GemmKernel& kernel() const { return kernel_; }
  uint32_t workgroups() const { return rows_ * columns_; }
  TilePlace place(uint32_t workgroup) const { return tile_place(workgroup, rows_, columns_, order_); }
  double flops() const { return 2.0 * shape_.m * shape_.n * shape_.k; }

  // Inputs are N(0, 1) rounded to the element, as in the published measurements. A row is the same whoever
  // asks for it; prepare() uploads all rows, or those that some workgroups read.
  Tensor row_of_a(uint32_t index) const { return row(matrix_a, index); }
  Tensor row_of_b(uint32_t index) const { return row(matrix_b, index); }
  void prepare(const std::vector<uint32_t>* only = nullptr);

  void launch(hip::Stream stream, const std::vector<uint32_t>* only = nullptr) const;

  Tensor tile(uint32_t workgroup) const; // of C, [256, 256] in bf16

 private:
  enum Matrix : uint32_t { matrix_a, matrix_b };

  Tensor row(Matrix matrix, uint32_t index) const;
  void upload_rows(Matrix matrix, uint32_t tile);

  const GemmKernel& kernel_;
  hip::Kernel function_;
  GemmShape shape_;
  TileOrder order_;
  uint32_t rows_, columns_; // in tiles
  size_t row_bytes_;
  hip::Buffer a_, b_, c_;
};

} // namespace fmha950::calibration
