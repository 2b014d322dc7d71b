#include "harness/foreign/launch_shape.hpp"

#include "interface/error.hpp"
#include "numerics/target.hpp"

#include <charconv>
#include <fmt/ranges.h>

namespace fmha950::harness {

hip::Dim3 parse_dimensions(const std::string& field, const std::string& text) {
  std::array<unsigned, 3> sizes{1, 1, 1};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    const auto [stopped, error] = std::from_chars(at, end, sizes[axis]);
    if (error != std::errc() || sizes[axis] == 0) break;
    if (stopped == end) return {sizes[0], sizes[1], sizes[2]};
    if (*stopped != ',') break;
    at = stopped + 1;
  }
  throw InvalidInput(field, text, "must be X, X,Y or X,Y,Z: whole numbers from 1");
}

void require_fits(const LaunchShape& shape, const ForeignKernel& kernel) {
  const auto [x, y, z] = shape.block;
  const std::string block = fmt::format("{},{},{}", x, y, z);
  if (uint64_t{x} * y > kernel.max_block || uint64_t{x} * y * z > kernel.max_block)
    throw InvalidInput("--block", block,
                       fmt::format("must have at most {} work-items: kernel {} was compiled for as many",
                                   kernel.max_block, kernel.name));
  if (kernel.required_block && *kernel.required_block != std::array<uint32_t, 3>{x, y, z})
    throw InvalidInput("--block", block,
                       fmt::format("must be {}: kernel {} was compiled for it (reqd_workgroup_size)",
                                   fmt::join(*kernel.required_block, ","), kernel.name));
  if (uint64_t{kernel.static_lds} + shape.dynamic_lds > target.lds_bytes_per_cu)
    throw InvalidInput(
        "--lds", std::to_string(shape.dynamic_lds),
        fmt::format("must be at most {}: {} has {} bytes for a workgroup, of which kernel {} takes {}",
                    int64_t{target.lds_bytes_per_cu} - kernel.static_lds, target.processor,
                    target.lds_bytes_per_cu, kernel.name, kernel.static_lds));
}

} // namespace fmha950::harness
