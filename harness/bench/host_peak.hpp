#pragma once
// The host core's own FP32 FMA peak, measured: the yardstick of the emulator's speed.

#include <cstdint>
#include <string_view>

namespace fmha950::harness {

// The widest path the host offers, or the one that FMHA950_SIMD forces, as on the embedded device:
// avx512_vbmi (arithmetic only needs its avx512), avx512, avx2 or baseline (SSE2, which has no FMA: a multiply
// and an add).
std::string_view host_simd_path();

// Runs `iterations` rounds of independent register-blocked multiply-adds on that path, on this thread,
// and returns how many floating-point operations these were.
double run_host_fma(int64_t iterations);

} // namespace fmha950::harness
