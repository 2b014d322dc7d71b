#pragma once
// Fills what the 64-byte kernel descriptor says (machine_gfx950.md section 5.1). `bytes` holds the
// descriptor, kernel.descriptor_address is where it lies. Throws LoadError.

#include "emulator/loader/code_object.hpp"

namespace fmha950::loader {

void read_descriptor(std::span<const std::byte, 64> bytes, Kernel& kernel);

} // namespace fmha950::loader
