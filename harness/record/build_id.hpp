#pragma once
// The build id that the linker gives a program or library (elf(5), NT_GNU_BUILD_ID): other code, another id.

#include <string>

namespace fmha950::harness {

// Of a file that is loaded, the first 8 bytes in hexadecimal; "" names the program itself. "none": it has no build id, or is
// not loaded.
std::string build_id(const std::string& file);

} // namespace fmha950::harness
