#pragma once
// NumPy's .npy files (format versions 1.0 to 3.0, C order, little endian) as tensors.
//
// NumPy has no type for four of ours, so they travel as bare codes
// and the reader says which type it expects:
//   bf16 '<u2' (read also '<V2' '|V2')   fp8, e8m0 '|u1' (read also '|V1')
//   mxfp4 '|u1' (read also '|V1'): the bytes of two elements each, the last extent half of the tensor's
//   fp16 '<f2'   fp32 '<f4'   int32 '<i4'
// The '|V' forms are what ml_dtypes arrays are saved as.

#include "interface/tensors.hpp"

#include <filesystem>

namespace fmha950 {

// Throws InvalidInput naming the file, what is wrong in it and what it should hold.
Tensor read_npy(const std::filesystem::path& path, ElementType type);
void write_npy(const std::filesystem::path& path, const Tensor& tensor);

} // namespace fmha950
