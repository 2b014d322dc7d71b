#include "harness/bench/device_loops.hpp"

#include <chrono>

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

double DeviceLoops::run(const hip::Kernel& kernel, int iterations) {
  const Arguments arguments{sink_.as<float>(), iterations};
  const auto begin = std::chrono::steady_clock::now();
  hip::launch(kernel, {1, 1, 1}, {wave, 1, 1}, &arguments, sizeof arguments, nullptr);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double DeviceLoops::run_mfma(int iterations) { return run(mfma_, iterations); }
double DeviceLoops::run_valu(int iterations) { return run(valu_, iterations); }
double DeviceLoops::mfma_flops(int iterations) { return mfma_per_iteration * flops_per_mfma * iterations; }
double DeviceLoops::valu_instructions(int iterations) { return valu_per_iteration * iterations; }

} // namespace fmha950::harness
