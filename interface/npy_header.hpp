#pragma once
// The header of NumPy's .npy files, format versions 1.0 to 3.0: what the elements are, and how many.

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace fmha950 {

struct NpyHeader {
  std::string descriptor; // "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

// Leaves the file at its first data byte. Throws InvalidInput that names the file `path`.
NpyHeader read_npy_header(std::ifstream& file, const std::filesystem::path& path);

// The beginning of a file in C order; the data starts at a multiple of 64 bytes.
std::string npy_header(const std::string& descriptor, const std::vector<int64_t>& shape);

} // namespace fmha950
