#pragma once
// Options of the embedded device (docs/device.md).

#include <string>

namespace fmha950::harness {

// Throws InvalidInput naming the option, its value and what would be right; on a GPU, which has none, always.
void set_option(const char* name, const std::string& value);

} // namespace fmha950::harness
