#include "harness/mutation/code_digest.hpp"

#include "interface/code_object.hpp"

namespace fmha950::harness {

// Neither line tables, which name the build's folder, nor the headers, which have their sizes.
void add_code(Digest& digest, std::string_view variant, std::span<const std::byte> code_object) {
  for (const auto segment : hip::loaded_segments(variant, code_object)) digest.add(segment);
}

std::string code_digest(std::string_view variant, std::span<const std::byte> code_object) {
  Digest digest;
  add_code(digest, variant, code_object);
  return digest.text();
}

} // namespace fmha950::harness
