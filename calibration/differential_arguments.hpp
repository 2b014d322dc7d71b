#pragma once
// What the host hands to the kernels of differential.hip. Host and device include this file.

#include <stdint.h>

namespace fmha950::calibration {

struct DifferentialArguments {
  uint32_t* output; // of each lane: all its results, hashed
};

constexpr int differential_rounds = 256; // of operands

} // namespace fmha950::calibration
