#pragma once
// Results of single instructions that the ISA guide defines to the bit, but for the rounding of one: the kernels of differential.hip.

#include <cstdint>
#include <span>
#include <string_view>

namespace fmha950::calibration {

struct DifferentialInstruction {
  std::string_view name; // differential_NAME in the code object calibration_differential
  uint32_t digest;       // of all its results on the embedded device
  // Where the guide does not say how it rounds: the digest if it rounds to nearest, and not toward zero
  // (FMHA950_BYTE_ROUNDING). 0: it says.
  uint32_t to_nearest = 0;
};
std::span<const DifferentialInstruction> differential_instructions();

// The same on the device in use.
uint32_t digest_of(const DifferentialInstruction& instruction);

} // namespace fmha950::calibration
