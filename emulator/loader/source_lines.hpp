#pragma once
// Where an ELF file keeps its line tables.

#include "emulator/loader/line_table.hpp"

namespace fmha950::loader {

// Empty when the file has none, or none that can be read: lines are a comfort, without them the code still
// runs. The bytes must outlive the table.
LineTable source_lines(std::span<const std::byte> elf);

} // namespace fmha950::loader
