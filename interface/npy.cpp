#include "interface/npy.hpp"

#include "interface/names.hpp"
#include "interface/npy_header.hpp"
#include "interface/regular_file.hpp"

#include <algorithm>
#include <bit>
#include <fmt/ranges.h>
#include <fstream>

namespace fmha950 {
namespace {

static_assert(std::endian::native == std::endian::little);

// The first name is the one written.
std::vector<std::string_view> descriptors(ElementType type) {
  switch (type) {
  case ElementType::bf16: return {"<u2", "<V2", "|V2"};
  case ElementType::fp16: return {"<f2"};
  case ElementType::fp8:
  case ElementType::e8m0:
  case ElementType::mxfp4: return {"|u1", "|V1"};
  case ElementType::fp32: return {"<f4"};
  case ElementType::int32: return {"<i4"};
  }
  return {};
}

// From the shape of a tensor to that of the elements of its file, and back: two mxfp4 are one byte.
std::vector<int64_t> shape_in_file(ElementType type, std::vector<int64_t> shape) {
  if (type == ElementType::mxfp4 && !shape.empty()) shape.back() /= 2;
  return shape;
}
std::vector<int64_t> shape_of_tensor(ElementType type, std::vector<int64_t> shape) {
  if (type == ElementType::mxfp4 && !shape.empty()) shape.back() *= 2;
  return shape;
}

} // namespace

Tensor read_npy(const std::filesystem::path& path, ElementType type) {
  if (std::string kind = kind_of_irregular_file(path); !kind.empty())
    refuse_file(path, std::move(kind), "must be a regular file, a .npy file");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse_file(path, "unreadable", "must be a .npy file");
  const NpyHeader header = read_npy_header(file, path);
  const auto accepted = descriptors(type);
  if (std::find(accepted.begin(), accepted.end(), header.descriptor) == accepted.end())
    refuse_file(path, fmt::format("'{}' elements", header.descriptor),
                fmt::format("must be {} for {}", fmt::join(accepted, " or "), name_of(type)));
  if (header.fortran_order)
    refuse_file(path, "Fortran order", "must be in C order (numpy.ascontiguousarray)");
  const auto begin = static_cast<uintmax_t>(file.tellg());
  const uintmax_t stored = std::filesystem::file_size(path) - begin;
  Tensor tensor(type, shape_of_tensor(type, header.shape));
  if (stored != tensor.bytes())
    refuse_file(path, fmt::format("{} bytes of data", stored),
                fmt::format("must be {} for shape ({})", tensor.bytes(), fmt::join(header.shape, ", ")));
  file.read(reinterpret_cast<char*>(tensor.data()), static_cast<std::streamsize>(stored));
  if (static_cast<uintmax_t>(file.gcount()) != stored)
    refuse_file(path, "unreadable", "must be readable to its end");
  return tensor;
}

void write_npy(const std::filesystem::path& path, const Tensor& tensor) {
  std::ofstream file(path, std::ios::binary);
  file << npy_header(std::string(descriptors(tensor.type())[0]),
                     shape_in_file(tensor.type(), tensor.shape()));
  file.write(reinterpret_cast<const char*>(tensor.data()), static_cast<std::streamsize>(tensor.bytes()));
  file.close();
  if (!file) refuse_file(path, "not written", "must be a place for a file with enough room");
}

} // namespace fmha950
