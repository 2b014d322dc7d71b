#pragma once
// A kernel's descriptor and metadata as the assembler's directives (LLVM AMDGPUUsage, "AMDHSA Kernel Directives").

#include "emulator/loader/code_object.hpp"

namespace fmha950::assembly {

// ".amdhsa_kernel NAME" to ".end_amdhsa_kernel". A descriptor that no directives give is found by comparing bytes.
std::string descriptor_directives(const loader::Kernel& kernel, const std::string& quoted_name);

// The note's YAML with this kernel only, as .amdgpu_metadata takes it. The note is that of a code object that is loaded.
std::string metadata_of(std::span<const std::byte> note, const std::string& kernel);

} // namespace fmha950::assembly
