#pragma once
// Empties the GPU's caches of what a kernel could still find there.

#include "interface/hip.hpp"

namespace fmha950::harness {

class CacheFlush {
 public:
  CacheFlush() : buffer_(bytes) {}
  // In the order of the null stream: what is launched next finds only this buffer's bytes.
  void overwrite() { buffer_.fill(0); }

 private:
  // Twice the last-level cache of 256 MiB (machine_gfx950.md section 6.1 [D]),
  // whose replacement is not known.
  static constexpr size_t bytes = size_t{512} << 20;
  hip::Buffer buffer_;
};

} // namespace fmha950::harness
