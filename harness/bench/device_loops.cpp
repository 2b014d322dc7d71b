#include "harness/bench/device_loops.hpp"

namespace fmha950::harness {

namespace {

constexpr int wave = 64;
constexpr double mfma_per_iteration = 8;              // mfma_loop.hip
constexpr double flops_per_mfma = 2.0 * 16 * 16 * 32; // v_mfma_f32_16x16x32_bf16
constexpr double valu_per_iteration = 64;             // valu_loop.hip

struct Arguments { // of both kernels
  float* sink;
  int iterations;
};

} // namespace

DeviceLoops::DeviceLoops()
    : sink_(wave * sizeof(float)), mfma_(hip::load_kernel("bench_mfma_loop", "bench_mfma_loop")),
      valu_(hip::load_kernel("bench_valu_loop", "bench_valu_loop")) {}

void DeviceLoops::run(const hip::Kernel& kernel, int iterations) {
  const Arguments arguments{sink_.as<float>(), iterations};
  hip::launch(kernel, {1, 1, 1}, {wave, 1, 1}, &arguments, sizeof arguments, nullptr);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
}

void DeviceLoops::run_mfma(int iterations) { run(mfma_, iterations); }
void DeviceLoops::run_valu(int iterations) { run(valu_, iterations); }
double DeviceLoops::mfma_flops(int iterations) { return mfma_per_iteration * flops_per_mfma * iterations; }
double DeviceLoops::valu_instructions(int iterations) { return valu_per_iteration * iterations; }

} // namespace fmha950::harness
