#pragma once
// What the host hands to the kernels of wait_windows.hip. Host and device include this file.

#include <stdint.h>

namespace fmha950::calibration {

struct WindowArguments {
  uint32_t* output; // of each lane
  uint32_t states;  // between the two instructions
};

constexpr int window_states = 24; // the most: more than any pair here needs

} // namespace fmha950::calibration
