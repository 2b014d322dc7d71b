#pragma once
// What is inside a code object, an ELF file for AMDGPU.

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

namespace fmha950::hip {

// What a device loads of it, in order, without the ELF headers; debug information is none of it. Throws
// InvalidInput, which names it `variant`, for what is no whole file of that kind.
std::vector<std::span<const std::byte>> loaded_segments(std::string_view variant,
                                                        std::span<const std::byte> code_object);

} // namespace fmha950::hip
