#include "harness/foreign/array.hpp"

#include "interface/error.hpp"

#include <fmt/ranges.h>
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

} // namespace fmha950::harness
