#include "harness/foreign/array.hpp"

#include "interface/error.hpp"
#include "interface/npy_header.hpp"
#include "interface/regular_file.hpp"

#include <array>
#include <filesystem>
#include <fmt/ranges.h>
#include <fstream>
#include <map>

namespace fmha950::harness {

namespace {

bool is_npy(const std::string& path) { return path.ends_with(".npy"); }

} // namespace

std::string Array::type() const {
  return fmt::format("{}[{}]", facts_of(element).name, fmt::join(shape, ","));
}

Array read_array(const TensorPlace& place) {
  return is_npy(place.file) ? read_npy_array(place.file) : read_safetensors(place);
}

void write_arrays(const std::vector<NamedArray>& arrays) {
  std::map<std::string, std::vector<NamedArray>> files;
  for (const NamedArray& each : arrays) files[each.place.file].push_back(each);
  for (const auto& [path, in_file] : files) {
    if (!is_npy(path)) {
      write_safetensors(path, in_file);
      continue;
    }
    if (in_file.size() > 1)
      throw InvalidInput(
          "file", path,
          fmt::format("must take one output, not {}: a .safetensors file takes several", in_file.size()));
    write_npy_array(path, *in_file.front().array);
  }
}

namespace {

std::optional<Element> element_of(const std::string& descriptor) {
  using enum Element;
  if (descriptor == "<V2" || descriptor == "|V2") return bfloat16;
  if (descriptor == "|V1" || descriptor == "<V1") return float8_e4m3;
  for (const Element element :
       {boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, float32, float64})
    if (descriptor == facts_of(element).npy) return element;
  return std::nullopt;
}

} // namespace

Array read_npy_array(const std::string& path) {
  require_regular_file("file", path);
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse_file(path, "unreadable", "must be a .npy file");
  const NpyHeader header = read_npy_header(file, path);
  const auto element = element_of(header.descriptor);
  if (!element)
    refuse_file(
        path, fmt::format("'{}' elements", header.descriptor),
        "must be little-endian integers or floats of up to 8 bytes, bool, or V1 and V2 for FP8 and bfloat16");
  if (header.fortran_order && header.shape.size() > 1)
    refuse_file(path, "Fortran order", "must be in C order (numpy.ascontiguousarray)");
  const auto begin = static_cast<uintmax_t>(file.tellg());
  const uintmax_t stored = std::filesystem::file_size(path) - begin;
  uintmax_t expected = facts_of(*element).bytes;
  for (const int64_t extent : header.shape)
    if (__builtin_mul_overflow(expected, static_cast<uintmax_t>(extent), &expected))
      refuse_file(path, fmt::format("shape ({})", fmt::join(header.shape, ", ")), "is too large");
  if (stored != expected)
    refuse_file(path, fmt::format("{} bytes of data", stored),
                fmt::format("must be {} for {} of shape ({})", expected, facts_of(*element).name,
                            fmt::join(header.shape, ", ")));
  Array array{*element, header.shape, std::vector<std::byte>(stored)};
  file.read(reinterpret_cast<char*>(array.bytes.data()), static_cast<std::streamsize>(stored));
  if (static_cast<uintmax_t>(file.gcount()) != stored)
    refuse_file(path, "unreadable", "must be readable to its end");
  return array;
}

void write_npy_array(const std::string& path, const Array& array) {
  std::ofstream file(path, std::ios::binary);
  file << npy_header(facts_of(array.element).npy, array.shape);
  file.write(reinterpret_cast<const char*>(array.bytes.data()),
             static_cast<std::streamsize>(array.bytes.size()));
  file.close();
  if (!file) refuse_file(path, "not written", "must be a place for a file with enough room");
}

} // namespace fmha950::harness
