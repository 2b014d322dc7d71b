#pragma once
// The metadata note of a code object: MessagePack, LLVM AMDGPUUsage "Code Object V3 and later Metadata".

#include "emulator/loader/code_object.hpp"

namespace fmha950::loader {

struct KernelMetadata {
  std::string name, symbol; // symbol of the descriptor: "<name>.kd"
  uint32_t kernarg_bytes = 0;
  uint32_t max_workgroup = 1024;
  bool uses_dynamic_stack = false;
  std::vector<Argument> arguments;
  uint32_t arguments_left_out = 0; // past the end of the segment
};

std::vector<KernelMetadata> parse_metadata(std::span<const std::byte> note); // throws LoadError

// The strings of amdhsa.printf: formats of buffered printf. Empty where the note has none.
std::vector<std::string> printf_formats_of(std::span<const std::byte> note);

// "gfx942" of "amdhsa.target: amdgcn-amd-amdhsa--gfx942"; empty when the note does not say.
std::string processor_of(std::span<const std::byte> note);

} // namespace fmha950::loader
