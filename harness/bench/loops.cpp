#include "harness/bench/loops.hpp"

#include "interface/error.hpp"

#include <array>
#include <cstdlib>
#include <string>

namespace fmha950::harness {

namespace {

constexpr int wave = 64;
constexpr double mfma_per_iteration = 8;              // loops.hip
constexpr double flops_per_mfma = 2.0 * 16 * 16 * 32; // v_mfma_f32_16x16x32_bf16
constexpr double valu_per_iteration = 64;             // loops.hip

struct Arguments { // of all kernels
  float* sink;
  int iterations;
};

} // namespace

DeviceLoops::DeviceLoops()
    : sink_(wave * sizeof(float)), mfma_(hip::load_kernel("bench_loops", "bench_mfma_loop")),
      valu_(hip::load_kernel("bench_loops", "bench_valu_loop")),
      small_(hip::load_kernel("bench_loops", "bench_small_workgroup")) {}

void DeviceLoops::run(const hip::Kernel& kernel, uint32_t workgroups, int iterations) {
  const Arguments arguments{sink_.as<float>(), iterations};
  hip::launch(kernel, {workgroups, 1, 1}, {wave, 1, 1}, &arguments, sizeof arguments, nullptr);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
}

void DeviceLoops::run_mfma(int iterations) { run(mfma_, 1, iterations); }
void DeviceLoops::run_valu(int iterations) { run(valu_, 1, iterations); }
void DeviceLoops::run_small_workgroups(uint32_t workgroups) { run(small_, workgroups, 0); }
double DeviceLoops::mfma_flops(int iterations) { return mfma_per_iteration * flops_per_mfma * iterations; }
double DeviceLoops::valu_instructions(int iterations) { return valu_per_iteration * iterations; }

namespace {

// Enough independent chains to cover the latency (4 or 5 cycles) of two FMA pipes,
// few enough to stay in registers.
constexpr int chains = 12;

template <int Lanes> using Vector = float __attribute__((ext_vector_type(Lanes)));

// Always inlined into a function with a target attribute, which decides the instructions. The results are
// folded into a volatile, so that nothing can be left out.
template <int Lanes, bool Fused> [[gnu::always_inline]] inline void multiply_add_chains(int64_t iterations) {
  using V = Vector<Lanes>;
  std::array<V, chains> sums;
  for (int i = 0; i < chains; ++i) sums[static_cast<size_t>(i)] = static_cast<V>(static_cast<float>(i));
  volatile float decay = 0.999f, step = 1e-3f; // keeps the sums finite and normal
  const V factor = static_cast<V>(decay), addend = static_cast<V>(step);
  for (int64_t n = 0; n < iterations; ++n) {
    for (V& sum : sums) {
      if constexpr (Fused)
        sum = __builtin_elementwise_fma(sum, factor, addend);
      else
        sum = sum * factor + addend;
    }
  }
  V total = sums[0];
  for (int i = 1; i < chains; ++i) total += sums[static_cast<size_t>(i)];
  [[maybe_unused]] volatile float sink = total[0];
}

[[gnu::target("avx512f")]] void run_avx512(int64_t iterations) { multiply_add_chains<16, true>(iterations); }
[[gnu::target("avx2,fma")]] void run_avx2(int64_t iterations) { multiply_add_chains<8, true>(iterations); }
void run_baseline(int64_t iterations) { multiply_add_chains<4, false>(iterations); }

struct Path {
  std::string_view name;
  int lanes;
  void (*run)(int64_t);
};
constexpr Path avx512_vbmi{"avx512_vbmi", 16, run_avx512}, avx512{"avx512", 16, run_avx512},
    avx2{"avx2", 8, run_avx2}, baseline{"baseline", 4, run_baseline};

Path choose() {
  if (const char* forced = std::getenv("FMHA950_SIMD")) {
    for (const Path& path : {avx512_vbmi, avx512, avx2, baseline})
      if (path.name == forced) return path;
    throw InvalidInput("FMHA950_SIMD", forced, "must be avx512_vbmi, avx512, avx2 or baseline");
  }
  if (__builtin_cpu_supports("avx512f")) return __builtin_cpu_supports("avx512vbmi") ? avx512_vbmi : avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return avx2;
  return baseline;
}

} // namespace

std::string_view host_simd_path() { return choose().name; }

double run_host_fma(int64_t iterations) {
  const Path path = choose();
  path.run(iterations);
  return 2.0 * chains * path.lanes * static_cast<double>(iterations);
}

} // namespace fmha950::harness
