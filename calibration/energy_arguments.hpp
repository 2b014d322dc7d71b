#pragma once
// What the host hands to the kernels of energy.hip, and what each of them does. Host and device include this file.
//
// A workgroup of eight waves, two on each SIMD, has a CU for itself. A wave repeats its body `iterations` times, a body
// being energy_steps steps of which each is at most one matrix instruction, and every `every`-th is followed by `count`
// instructions of another kind. So what keeps which unit busy is known by construction.

#include "calibration/loop_stamp.hpp"

namespace fmha950::calibration {

// 16x16x32, 32x32x16, 16x16x32, 16x16x128 with fp8. Whether shapes cost alike is open (docs/timing.md).
enum class EnergyMatrix : uint8_t { none, bf16, bf16_32, fp8, f8f6f4 };
enum class EnergyBeside : uint8_t { nothing, sleep, nop, fma, pk_fma, exp, cvt, lds_read, load };

struct EnergyWork {
  EnergyMatrix matrix;
  EnergyBeside beside = EnergyBeside::nothing;
  int count = 0, every = 1;
};

struct EnergyArguments {
  const uint32_t* operands;
  const char* memory; // what `load` reads: `region` bytes for each workgroup
  LoopStamp* stamps;  // of each wave
  uint32_t region, iterations;
};

constexpr int energy_waves = 8;
constexpr int energy_steps = 32;
constexpr int energy_load_bytes = 1024;    // of a wave's instruction
constexpr int energy_lds_bytes = 96 << 10; // more than half of a CU's, so that no two workgroups share one
constexpr int energy_lds_rows = 4;         // that are read in turn
// Four words for each lane: operands of the matrix instruction in its format, then fp32 values.
constexpr int energy_matrix_operands = 16, energy_valu_operands = 8;

// Name and work of each kernel. Beside matrix instructions stands so much of the other kind that both units can be busy all
// the time, or half of it.
#define FMHA950_ENERGY_KERNELS(X)                                                                            \
  X(idle_sleep, none, sleep, 1, 1)                                                                           \
  X(idle_nop, none, nop, 4, 1)                                                                               \
  X(bf16, bf16, nothing, 0, 1)                                                                               \
  X(bf16_nop1, bf16, nop, 1, 1)                                                                              \
  X(bf16_nop2, bf16, nop, 2, 1)                                                                              \
  X(bf16_fma2, bf16, fma, 2, 1)                                                                              \
  X(bf16_fma4, bf16, fma, 4, 1)                                                                              \
  X(bf16_pk_fma4, bf16, pk_fma, 4, 1)                                                                        \
  X(bf16_exp2, bf16, exp, 2, 1)                                                                              \
  X(bf16_cvt4, bf16, cvt, 4, 1)                                                                              \
  X(bf16_lds1, bf16, lds_read, 1, 1)                                                                         \
  X(bf16_load, bf16, load, 4, 16)                                                                            \
  X(bf16_32, bf16_32, nothing, 0, 1)                                                                         \
  X(bf16_32_nop2, bf16_32, nop, 2, 1)                                                                        \
  X(fp8, fp8, nothing, 0, 1)                                                                                 \
  X(fp8_nop1, fp8, nop, 1, 1)                                                                                \
  X(fp8_fma2, fp8, fma, 2, 1)                                                                                \
  X(fp8_fma4, fp8, fma, 4, 1)                                                                                \
  X(fp8_lds1, fp8, lds_read, 1, 1)                                                                           \
  X(fp8_load, fp8, load, 4, 16)                                                                              \
  X(f8f6f4, f8f6f4, nothing, 0, 1)                                                                           \
  X(f8f6f4_nop2, f8f6f4, nop, 2, 1)                                                                          \
  X(f8f6f4_fma4, f8f6f4, fma, 4, 1)                                                                          \
  X(f8f6f4_fma8, f8f6f4, fma, 8, 1)                                                                          \
  X(f8f6f4_lds2, f8f6f4, lds_read, 2, 1)                                                                     \
  X(fma, none, fma, 4, 1)                                                                                    \
  X(pk_fma, none, pk_fma, 4, 1)                                                                              \
  X(exp, none, exp, 4, 1)                                                                                    \
  X(cvt, none, cvt, 4, 1)                                                                                    \
  X(lds, none, lds_read, 4, 1)                                                                               \
  X(load, none, load, 4, 1)

} // namespace fmha950::calibration
