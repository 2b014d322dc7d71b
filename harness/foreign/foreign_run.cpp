#include "harness/foreign/foreign_run.hpp"

#include "interface/error.hpp"
#include "numerics/target.hpp"

#include <charconv>
#include <cstring>
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

void require_fits(const LaunchShape& shape, const ForeignKernel& kernel, const ShapeFields& fields) {
  const auto [x, y, z] = shape.block;
  const std::string block = fmt::format("{},{},{}", x, y, z);
  if (uint64_t{x} * y > kernel.max_block || uint64_t{x} * y * z > kernel.max_block)
    throw InvalidInput(fields.block, block,
                       fmt::format("must have at most {} work-items: kernel {} was compiled for as many",
                                   kernel.max_block, kernel.name));
  if (kernel.required_block && *kernel.required_block != std::array<uint32_t, 3>{x, y, z})
    throw InvalidInput(fields.block, block,
                       fmt::format("must be {}: kernel {} was compiled for it (reqd_workgroup_size)",
                                   fmt::join(*kernel.required_block, ","), kernel.name));
  if (uint64_t{kernel.static_lds} + shape.dynamic_lds > target.lds_bytes_per_cu)
    throw InvalidInput(
        fields.lds, std::to_string(shape.dynamic_lds),
        fmt::format("must be at most {}: {} has {} bytes for a workgroup, of which kernel {} takes {}",
                    int64_t{target.lds_bytes_per_cu} - kernel.static_lds, target.processor,
                    target.lds_bytes_per_cu, kernel.name, kernel.static_lds));
}

LoadedKernel::LoadedKernel(const CodeObjectFile& file, const ForeignKernel& kernel) {
  hip::check(hip::api().ModuleLoadData(&module_, file.bytes.data()), "hipModuleLoadData of " + file.path);
  kernel_.name = kernel.name;
  hip::check(hip::api().ModuleGetFunction(&kernel_.function, module_, kernel.name.c_str()),
             "hipModuleGetFunction of " + kernel.name);
}

LoadedKernel::~LoadedKernel() { hip::api().ModuleUnload(module_); }

ForeignRun::ForeignRun(const LoadedKernel& kernel, const LaunchShape& shape, const ArgumentBlock& arguments)
    : kernel_(kernel), shape_(shape), arguments_(arguments), block_(arguments.bytes) {
  for (const ArgumentBuffer& each : arguments.buffers) {
    hip::Buffer& buffer = buffers_.emplace_back(each.before.bytes.size());
    buffer.upload(each.before.bytes.data(), each.before.bytes.size());
    const void* address = buffer.get();
    std::memcpy(block_.data() + each.address_at, &address, sizeof address);
  }
}

void ForeignRun::launch(const std::vector<uint32_t>* only) {
  hip::launch(kernel_.kernel(), shape_.grid, shape_.block, block_.data(), block_.size(), nullptr, only,
              shape_.dynamic_lds);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize after " + kernel_.kernel().name);
}

std::vector<Array> ForeignRun::outputs() const {
  std::vector<Array> outputs;
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if (!arguments_.buffers[i].output) continue;
    Array& output = outputs.emplace_back(arguments_.buffers[i].before);
    buffers_[i].download(output.bytes.data(), output.bytes.size());
  }
  return outputs;
}

} // namespace fmha950::harness
