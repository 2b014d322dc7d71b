#pragma once
// Loops of one kind of instruction, on the device and on the host's own core: what either can do at best.

#include "interface/hip.hpp"

#include <cstdint>
#include <string_view>

namespace fmha950::harness {

// Micro-kernels on the device.
class DeviceLoops {
 public:
  DeviceLoops();
  // One wave runs `iterations` rounds, to the end.
  void run_mfma(int iterations);
  void run_valu(int iterations);
  // As many workgroups of one wave of ten instructions each.
  void run_small_workgroups(uint32_t workgroups);
  static double mfma_flops(int iterations);
  static double valu_instructions(int iterations);

 private:
  void run(const hip::Kernel& kernel, uint32_t workgroups, int iterations);
  hip::Buffer sink_;
  hip::Kernel mfma_, valu_, small_;
};

// The host core's own FP32 FMA peak is the yardstick of the emulator's speed. Its path is the widest that the host
// offers, or the one that FMHA950_SIMD forces, as on the embedded device: avx512_vbmi (arithmetic only needs its
// avx512), avx512, avx2 or baseline (SSE2, which has no FMA: a multiply and an add).
std::string_view host_simd_path();

// Runs `iterations` rounds of independent register-blocked multiply-adds on that path, on this thread,
// and returns how many floating-point operations these were.
double run_host_fma(int64_t iterations);

} // namespace fmha950::harness
