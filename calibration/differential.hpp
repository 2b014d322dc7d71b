#pragma once
// Results of single instructions that the ISA guide defines to the bit: the kernels of differential.hip.

#include <cstdint>
#include <span>
#include <string_view>

namespace fmha950::calibration {

struct DifferentialInstruction {
  std::string_view name; // differential_NAME in the code object calibration_differential
  uint32_t digest;       // of all its results on the embedded device
};
std::span<const DifferentialInstruction> differential_instructions();

// The same on the device in use.
uint32_t digest_of(const DifferentialInstruction& instruction);

} // namespace fmha950::calibration
