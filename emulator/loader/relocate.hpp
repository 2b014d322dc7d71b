#pragma once
// Applies the dynamic relocations to the image loaded at device address `base`. Throws LoadError.

#include "emulator/loader/elf_image.hpp"

namespace fmha950::loader {

void relocate(const ElfImage& elf, uint64_t base);

} // namespace fmha950::loader
