#pragma once
// Of a 32-bit value that is not known, the bits that are: after an AND with a mask, a shift, in a sum of such. As in LLVM's
// KnownBits and the Linux kernel's tnum.

#include <cstdint>

namespace fmha950::static_check {

struct KnownBits {
  uint32_t value = 0, known = 0; // value is zero where a bit is not known

  static KnownBits of(uint32_t value) { return {value, ~0u}; }
  uint32_t least() const { return value; }
  uint32_t most() const { return value | ~known; }
  bool is_value() const { return known == ~0u; }
  bool operator==(const KnownBits&) const = default;
};

// What both have in common.
KnownBits common(KnownBits a, KnownBits b);
// Bit by bit: bit 4a + 2b + c of the table is the result where the sources have those bits.
KnownBits bitwise(uint32_t table, KnownBits a, KnownBits b, KnownBits c);
KnownBits sum(KnownBits a, KnownBits b);
KnownBits difference(KnownBits a, KnownBits b);
KnownBits shifted_left(KnownBits value, KnownBits count);
KnownBits shifted_right(KnownBits value, KnownBits count);

} // namespace fmha950::static_check
