#pragma once
// What a host program hands to hipModuleLoadData: an ELF file or a clang offload bundle, without a size.

#include <cstddef>
#include <cstdint>
#include <span>

namespace fmha950::loader {

// The gfx950 code object at `image`: the ELF file itself, or the bundle's entry for gfx950. `available` is
// the size when it is known. Throws LoadError.
std::span<const std::byte> select_code_object(const std::byte* image, uint64_t available = UINT64_MAX);

} // namespace fmha950::loader
