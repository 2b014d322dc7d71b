#pragma once
// Asks a question of the device.

#include "harness/silicon/question.hpp"
#include "harness/silicon/silicon_file.hpp"

namespace fmha950::harness {

// On the embedded device under schedule `timed`, whose clocks are the model's; else a GPU's.
MeasuredQuestion ask(const Question& question);

} // namespace fmha950::harness
