#pragma once
// The GPU that this project is about: what more than one part of it needs to know of gfx950, as one value. Another
// GPU would be a second value; what its instructions, rates and waits are stands in the emulator (CONTRIBUTING.md).

#include <cstdint>

namespace fmha950 {

struct Target {
  const char* processor;    // LLVM's name
  const char* architecture; // likewise, with its features as HIP names them
  int major, minor;         // HIP's compute capability
  int wave_lanes;
  int chiplets, cus_per_chiplet;
  int simds_per_cu, waves_per_simd;
  int waves_per_workgroup, barriers_per_cu;
  uint32_t vgprs_per_lane, vgpr_block; // of a SIMD, for all its waves; allocated in blocks
  uint32_t lds_bytes_per_cu, lds_block;
  uint32_t l2_bytes_per_chiplet;
  double hertz; // the highest

  constexpr int version() const { return 10 * major + minor; } // of a kernel's binary, as HIP gives it
  constexpr int gcn_number() const { return 100 * major + 10 * minor; } // 950
  constexpr int compute_units() const { return chiplets * cus_per_chiplet; }
  constexpr int waves_per_cu() const { return simds_per_cu * waves_per_simd; }
  constexpr uint64_t lds_allocated(uint64_t bytes) const {
    return (bytes + lds_block - 1) / lds_block * lds_block;
  }
  // That the VGPRs of a SIMD hold. LDS may allow fewer.
  constexpr int waves_by_vgprs(uint32_t vgprs) const {
    const uint32_t blocks = vgprs > vgpr_block ? (vgprs + vgpr_block - 1) / vgpr_block : 1;
    const auto waves = static_cast<int>(vgprs_per_lane / (blocks * vgpr_block));
    return waves < waves_per_simd ? waves : waves_per_simd;
  }
};

// MI355X: machine_gfx950.md sections 3 (LDS), 6.1 (the GPU) and 6.5 (occupancy).
inline constexpr Target target = {.processor = "gfx950",
                                  .architecture = "gfx950:sramecc+:xnack-",
                                  .major = 9,
                                  .minor = 5,
                                  .wave_lanes = 64,
                                  .chiplets = 8,
                                  .cus_per_chiplet = 32,
                                  .simds_per_cu = 4,
                                  .waves_per_simd = 8,
                                  .waves_per_workgroup = 16,
                                  .barriers_per_cu = 16,
                                  .vgprs_per_lane = 512,
                                  .vgpr_block = 8,
                                  .lds_bytes_per_cu = 160 << 10,
                                  .lds_block = 1280,
                                  .l2_bytes_per_chiplet = 4 << 20,
                                  .hertz = 2.4e9};

} // namespace fmha950
