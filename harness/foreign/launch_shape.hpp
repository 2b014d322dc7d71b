#pragma once
// The shape of a foreign kernel's launch.

#include "harness/foreign/code_object_file.hpp"
#include "interface/hip.hpp"

namespace fmha950::harness {

struct LaunchShape {
  hip::Dim3 grid, block; // grid in workgroups
  uint32_t dynamic_lds = 0;
};

// "4", "4,2" or "4,2,1". Throws InvalidInput.
hip::Dim3 parse_dimensions(const std::string& field, const std::string& text);

// Throws InvalidInput for what the kernel or the target does not take.
void require_fits(const LaunchShape& shape, const ForeignKernel& kernel);

} // namespace fmha950::harness
