#pragma once
// What the GPU's matrix units could do for a case: the same peak for what is modelled and what is measured.

#include "emulator/rates/latencies.hpp"
#include "emulator/rates/rates.hpp"
#include "interface/problem.hpp"
#include "numerics/target.hpp"

namespace fmha950::harness {

// Matrix FLOPs per clock of the whole GPU (mfma_gfx950.md section 5.1: 32x32x64 with 8-bit operands takes 16
// passes of 4 clocks, 32x32x16 in 16 bits 8 passes): of 8 bits only if Q and KV are.
inline double matrix_flops_per_clock(const Problem& problem) {
  using namespace timing;
  constexpr double simds = 1.0 * simds_per_cu * target.compute_units();
  constexpr double of_16_bits = 2.0 * 32 * 32 * 16 / (8 * clocks_per_pass),
                   of_8_bits = 2.0 * 32 * 32 * 64 / (16 * clocks_per_pass);
  const bool small = element_bytes(problem.query_type) == 1 && element_bytes(problem.kv_type) == 1;
  return simds * (small ? of_8_bits : of_16_bits);
}

} // namespace fmha950::harness
