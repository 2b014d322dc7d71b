#pragma once
// Data-parallel primitives: which lane each lane reads (ISA guide 13.3.?, DPP_CTRL).

#include "emulator/isa/vector.hpp"

namespace fmha950::isa::FMHA950_SIMD {

struct DppPattern {
  uint8_t source[wave_lanes] = {};
  uint64_t valid = 0;   // lanes whose source lane exists and is active
  uint64_t written = 0; // active lanes that the row and bank masks enable; with bound_ctrl 0 only valid ones
};

// `control` is the DPP dword of the encoding. Raises a Fault for a reserved DPP_CTRL.
DppPattern dpp_pattern(uint32_t control, uint64_t exec);

} // namespace fmha950::isa::FMHA950_SIMD
