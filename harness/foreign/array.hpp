#pragma once
// A tensor of any type on the host, and its files: .npy (C order) and .safetensors.

#include "harness/foreign/argument.hpp"

#include <cstddef>
#include <vector>

namespace fmha950::harness {

struct Array {
  Element element = Element::float32;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  size_t elements() const { return bytes.size() / facts_of(element).bytes; }
  double value(size_t index) const {
    return value_of(element, bytes.data() + index * facts_of(element).bytes);
  }
  std::string type() const; // "float32[16,64]"
};

// Throws InvalidInput that names file, what is wrong in it and what would be right.
Array read_array(const TensorPlace& place);

struct NamedArray {
  TensorPlace place; // of a .safetensors file: with the tensor's name
  const Array* array = nullptr;
};
// Tensors of one .safetensors file come into it together. Throws likewise.
void write_arrays(const std::vector<NamedArray>& arrays);

// The files of one kind. NumPy has no bfloat16 and no FP8: they travel as void types of their size, as ml_dtypes saves
// them, and are read as bfloat16 and float8_e4m3fn.
Array read_npy_array(const std::string& path);
void write_npy_array(const std::string& path, const Array& array);
Array read_safetensors(const TensorPlace& place);
void write_safetensors(const std::string& path, const std::vector<NamedArray>& arrays);

} // namespace fmha950::harness
