#pragma once
// A launch of a foreign kernel on the device in use, a GPU or the embedded one: its shape, and the run.

#include "harness/foreign/argument_block.hpp"
#include "harness/foreign/code_object_file.hpp"
#include "interface/hip.hpp"

namespace fmha950::harness {

struct LaunchShape {
  hip::Dim3 grid, block; // grid in workgroups
  uint32_t dynamic_lds = 0;
};

// "4", "4,2" or "4,2,1". Throws InvalidInput.
hip::Dim3 parse_dimensions(const std::string& field, const std::string& text);

struct ShapeFields { // what errors call them
  std::string block = "--block", lds = "--lds";
};

// Throws InvalidInput for what the kernel or the target does not take.
void require_fits(const LaunchShape& shape, const ForeignKernel& kernel, const ShapeFields& fields = {});

class LoadedKernel {
 public:
  LoadedKernel(const CodeObjectFile& file, const ForeignKernel& kernel); // throws DeviceError
  ~LoadedKernel();
  LoadedKernel(const LoadedKernel&) = delete;
  const hip::Kernel& kernel() const { return kernel_; }

 private:
  hip::Module module_ = nullptr;
  hip::Kernel kernel_;
};

// One launch, with buffers of its own: what an earlier one wrote is not there.
class ForeignRun {
 public:
  ForeignRun(const LoadedKernel& kernel, const LaunchShape& shape, const ArgumentBlock& arguments);

  // All workgroups, or `only` these (embedded device). Returns when it has ended; throws DeviceError.
  void launch(const std::vector<uint32_t>* only = nullptr);
  std::vector<Array> outputs() const; // in the order of the buffers that are outputs

 private:
  const LoadedKernel& kernel_;
  const LaunchShape shape_;
  const ArgumentBlock& arguments_;
  std::vector<hip::Buffer> buffers_;
  std::vector<std::byte> block_; // with addresses
};

} // namespace fmha950::harness
