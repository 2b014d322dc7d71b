#pragma once
// What the host hands to the micro-kernels, by value, and what it has to know of each. Host and device
// include this file.
//
// A kernel is one workgroup. It repeats its body `iterations` times, a body being so many steps; the cost of a
// step is what a launch takes more than one of fewer iterations, without what comes before and after, but
// with a share of the loop's own few scalar instructions: bodies are long, so that it is small. Kernels micro_* are one
// wave, but for micro_code_*; kernels rate_* (rates.hip) are of as many as keep a unit busy.

#include "calibration/loop_stamp.hpp"

namespace fmha950::calibration {

struct MicroArguments {
  const uint32_t* table; // depends on the kernel (micro.hip)
  uint32_t* output;
  LoopStamp* stamps; // of each wave
  uint32_t iterations;
};

// Steps of a body.
constexpr int mfma_steps = 256;       // v_mfma_f32_16x16x32_bf16
constexpr int mfma_streams = 4;       // each has a quarter of the steps
constexpr int fma_steps = 256;        // v_fma_f32
constexpr int exp_steps = 96;         // v_exp_f32
constexpr int lds_gather_steps = 128; // ds_read_b32, each waited for
constexpr int global_chase_steps = 8; // global_load_dword, each waited for
constexpr int lds_access_steps = 8;   // of one kind, waited for together

// micro_code_N: a body is N steps, each a KiB of code that follows the one before: eight waves that share the SIMDs' matrix
// units, as kernels of attention do.
constexpr int code_waves = 8;
constexpr int code_lines = 16;     // of a step, 64 bytes each: an MFMA of 32 x 32 x 16, then VALU
constexpr int code_line_valus = 7; // v_fma_f32, which fill the MFMA's time if two waves share a SIMD

constexpr int rate_waves = 8;        // of kernels that share a unit: two on each SIMD
constexpr int rate_steps = 64;       // of rates.hip, but for
constexpr int rate_mfma_steps = 128; // matrix instructions alone
constexpr int rate_valu_steps = 256; // VALU instructions alone
constexpr int rate_lds_steps = 32;   // reads of LDS
constexpr int fma_beside_mfma = 4;   // v_fma_f32 for each v_mfma_f32_16x16x32_bf16: as many clocks
constexpr int writes_beside_dma = 4; // ds_write_b64 for each LDS DMA

constexpr uint32_t micro_lds_bytes = 16384; // whole LDS of those kernels that have any

} // namespace fmha950::calibration
