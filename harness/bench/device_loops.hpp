#pragma once
// Micro-kernels on the device: loops of one kind of instruction.

#include "interface/hip.hpp"

#include <cstdint>

namespace fmha950::harness {

class DeviceLoops {
 public:
  DeviceLoops();
  // One wave runs `iterations` rounds, to the end.
  void run_mfma(int iterations);
  void run_valu(int iterations);
  static double mfma_flops(int iterations);
  static double valu_instructions(int iterations);

 private:
  void run(const hip::Kernel& kernel, int iterations);
  hip::Buffer sink_;
  hip::Kernel mfma_, valu_;
};

} // namespace fmha950::harness
