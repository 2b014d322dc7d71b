#pragma once
// Launches the kernels of energy.hip on all compute units, and counts what they do.

#include "calibration/energy_arguments.hpp"
#include "interface/hip.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace fmha950::calibration {

struct EnergyKernel {
  std::string_view name; // energy_NAME in the code object calibration_energy
  EnergyWork work;
};
std::span<const EnergyKernel> energy_kernels();
const EnergyKernel& energy_kernel(std::string_view name); // throws InvalidInput naming those that exist

// Of one wave in one iteration.
struct EnergyCounts {
  int matrix = 0, beside = 0; // instructions
};
EnergyCounts counts_of(const EnergyWork& work);

class Energy {
 public:
  // `region`: bytes that each workgroup reads over and over, a power of two from 32 KiB on; of kernels that load. Throws
  // InvalidInput as energy_kernel().
  Energy(std::string_view kernel, uint32_t workgroups, uint32_t region);

  const EnergyKernel& kernel() const { return kernel_; }
  // `only`: these workgroups (embedded device). Throws InvalidInput for 0 iterations.
  void launch(uint32_t iterations, const std::vector<uint32_t>* only = nullptr) const;
  // Of the last launch: those of each wave, workgroup by workgroup.
  std::vector<LoopStamp> stamps() const;

 private:
  const EnergyKernel& kernel_;
  uint32_t workgroups_, region_;
  hip::Kernel function_;
  hip::Buffer operands_, memory_, stamps_;
};

} // namespace fmha950::calibration
