#pragma once
// FNV-1a, 64 bits: what is told apart are builds, code objects and lists of cases, not adversaries.

#include <cstddef>
#include <cstdint>
#include <fmt/format.h>
#include <span>
#include <string>

namespace fmha950::numerics {

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

} // namespace fmha950::numerics
