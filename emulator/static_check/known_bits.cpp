#include "emulator/static_check/known_bits.hpp"

namespace fmha950::static_check {

KnownBits common(KnownBits a, KnownBits b) {
  const uint32_t known = a.known & b.known & ~(a.value ^ b.value);
  return {a.value & known, known};
}

KnownBits bitwise(uint32_t table, KnownBits a, KnownBits b, KnownBits c) {
  uint32_t may_be_one = 0, may_be_zero = 0;
  const auto may_be = [](KnownBits bits, bool one) { return (one ? bits.value : ~bits.value) | ~bits.known; };
  for (uint32_t sources = 0; sources < 8; ++sources) {
    const uint32_t here = may_be(a, sources & 4) & may_be(b, sources & 2) & may_be(c, sources & 1);
    (table >> sources & 1 ? may_be_one : may_be_zero) |= here;
  }
  return {may_be_one & ~may_be_zero, ~(may_be_one & may_be_zero)};
}

// A carry out of an unknown bit makes others unknown (Vishwanathan et al., "Sound, Precise, and Fast Abstract Interpretation
// with Tristate Numbers").
KnownBits sum(KnownBits a, KnownBits b) {
  const uint32_t least = a.value + b.value, unknown = ~a.known + ~b.known;
  const uint32_t changed = ((least + unknown) ^ least) | ~a.known | ~b.known;
  return {least & ~changed, ~changed};
}
KnownBits difference(KnownBits a, KnownBits b) {
  const uint32_t middle = a.value - b.value;
  const uint32_t changed = ((middle + ~a.known) ^ (middle - ~b.known)) | ~a.known | ~b.known;
  return {middle & ~changed, ~changed};
}

KnownBits shifted_left(KnownBits value, KnownBits count) {
  if ((count.known & 31) != 31) return {};
  const uint32_t by = count.value & 31;
  return {value.value << by, value.known << by | ((1u << by) - 1)};
}
KnownBits shifted_right(KnownBits value, KnownBits count) {
  if ((count.known & 31) != 31) return {};
  const uint32_t by = count.value & 31;
  return {value.value >> by, value.known >> by | ~(~0u >> by)};
}

} // namespace fmha950::static_check
