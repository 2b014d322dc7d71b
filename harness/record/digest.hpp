#pragma once
// FNV-1a, 64 bits: what is told apart are builds and lists of cases, not adversaries.

#include "interface/code_object.hpp"

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <string>
#include <string_view>

namespace fmha950::harness {

class Digest {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) value_ = (value_ ^ static_cast<uint64_t>(byte)) * 0x100000001b3;
  }
  void add(const std::string& text) { add(std::as_bytes(std::span(text.data(), text.size()))); }
  std::string text() const { return fmt::format("{:016x}", value_); }

 private:
  uint64_t value_ = 0xcbf29ce484222325;
};

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
