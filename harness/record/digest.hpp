#pragma once
// Digests of code objects.

#include "interface/code_object.hpp"
#include "numerics/digest.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace fmha950::harness {

using numerics::Digest;

// The digest of what a device loads of a code object: the same wherever it was built, another for another compiler's code.
// Neither line tables, which name the build's folder, nor the headers, which have their sizes. Throws as
// hip::loaded_segments() does.
inline void add_code(Digest& digest, std::string_view variant, std::span<const std::byte> code_object) {
  for (const auto segment : hip::loaded_segments(variant, code_object)) digest.add(segment);
}

inline std::string code_digest(std::string_view variant, std::span<const std::byte> code_object) {
  Digest digest;
  add_code(digest, variant, code_object);
  return digest.text();
}

} // namespace fmha950::harness
