#include "harness/foreign/foreign_run.hpp"

#include <cstring>

namespace fmha950::harness {

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
