#pragma once
// Values with bits that are not known because nobody wrote them, and what integer operations make of them:
// the abstract interpretation behind the bit-precise rules of initialised_rules.cpp.

#include <cstdint>

namespace fmha950::observe {

constexpr uint64_t low_bits(uint64_t count) { // that many ones
  return count >= 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
}

// Up to 64 bits; where `invalid` is set, `value` holds what the machine happened to have.
struct Bits {
  uint64_t value = 0, invalid = 0;

  static Bits unknown() { return {0, ~uint64_t{0}}; }
  bool is_valid() const { return invalid == 0; }
  Bits low(int bits) const { // zero-extended
    const uint64_t mask = low_bits(static_cast<uint64_t>(bits));
    return {value & mask, invalid & mask};
  }
  Bits sign_extended(int bits) const { // copies of an unknown sign are unknown
    const auto extend = [bits](uint64_t x) {
      return static_cast<uint64_t>(static_cast<int64_t>(x << (64 - bits)) >> (64 - bits));
    };
    return {extend(value), extend(invalid)};
  }
};

// A known 0 decides an `and`, a known 1 an `or`.
inline Bits operator~(Bits a) { return {~a.value, a.invalid}; }
inline Bits operator&(Bits a, Bits b) {
  return {a.value & b.value, (a.invalid & b.invalid) | (a.invalid & b.value) | (b.invalid & a.value)};
}
inline Bits operator|(Bits a, Bits b) {
  return {a.value | b.value, (a.invalid & b.invalid) | (a.invalid & ~b.value) | (b.invalid & ~a.value)};
}
inline Bits operator^(Bits a, Bits b) { return {a.value ^ b.value, a.invalid | b.invalid}; }

// Carries go upwards only: bits below the lowest unknown one are known.
inline uint64_t and_above(uint64_t invalid) { return invalid | (0 - invalid); }
inline Bits operator+(Bits a, Bits b) { return {a.value + b.value, and_above(a.invalid | b.invalid)}; }
inline Bits operator-(Bits a, Bits b) { return {a.value - b.value, and_above(a.invalid | b.invalid)}; }
inline Bits operator*(Bits a, Bits b) { return {a.value * b.value, and_above(a.invalid | b.invalid)}; }

// `count` is masked by the caller; an unknown one makes everything unknown.
inline Bits operator<<(Bits a, Bits count) {
  return count.is_valid() ? Bits{a.value << count.value, a.invalid << count.value} : Bits::unknown();
}
inline Bits operator>>(Bits a, Bits count) {
  return count.is_valid() ? Bits{a.value >> count.value, a.invalid >> count.value} : Bits::unknown();
}
inline Bits shifted_right_signed(Bits a, Bits count) {
  if (!count.is_valid()) return Bits::unknown();
  const auto shift = [&](uint64_t x) {
    return static_cast<uint64_t>(static_cast<int64_t>(x) >> count.value);
  };
  return {shift(a.value), shift(a.invalid)};
}
inline Bits known(uint64_t value) { return {value, 0}; }
// Whether `a` is not zero: one bit.
inline Bits nonzero(Bits a) { return {a.value != 0, (a.value & ~a.invalid) == 0 && a.invalid != 0}; }

} // namespace fmha950::observe
