#pragma once
// The digest of what a device loads of a code object: the same wherever it was built, another for another compiler's code.

#include "harness/output/digest.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fmha950::harness {

// Throws as hip::loaded_segments() does.
void add_code(Digest& digest, std::string_view variant, std::span<const std::byte> code_object);
std::string code_digest(std::string_view variant, std::span<const std::byte> code_object);

} // namespace fmha950::harness
