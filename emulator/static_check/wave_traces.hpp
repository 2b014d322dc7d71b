#pragma once
// What each wave of a workgroup executes from entry to end, if the code alone fixes its way: every branch by constants and
// the work-item's number (known_values.hpp).

#include "emulator/static_check/known_values.hpp"

#include <optional>
#include <vector>

namespace fmha950::static_check {

struct Executed {
  size_t index = 0;            // a wait, a barrier, the end, or what a queue takes
  std::optional<LdsBytes> lds; // that it touches; none: not known
};
using Trace = std::vector<Executed>;

// By wave, for the largest workgroup that the kernel may be launched with; nothing if some wave's way is not fixed, or is a
// long one.
std::vector<Trace> traces_of(const Code& code);

} // namespace fmha950::static_check
