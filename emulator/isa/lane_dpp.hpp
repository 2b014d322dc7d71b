#pragma once
// Data-parallel primitives: which lane each lane reads (ISA guide, DPP_CTRL).

#include "emulator/isa/vector.hpp"

namespace fmha950::isa::FMHA950_SIMD {

struct DppPattern {
  const uint8_t* source; // per lane the lane it reads; 0 where there is none
  uint64_t valid;        // lanes whose source lane exists and is active
  uint64_t written;      // active lanes that the row and bank masks enable; with bound_ctrl 0 only valid ones
};

// `control` is the DPP dword of the encoding. Raises a Fault for a reserved DPP_CTRL.
DppPattern dpp_pattern(uint32_t control, uint64_t exec);

FMHA950_INLINE Lanes<uint32_t> gather_lanes(const uint32_t* registers, const uint8_t* source) {
  alignas(64) uint32_t value[wave_lanes];
  for (int l = 0; l < wave_lanes; ++l) value[l] = registers[source[l]];
  return load_lanes<uint32_t>(value);
}

} // namespace fmha950::isa::FMHA950_SIMD
