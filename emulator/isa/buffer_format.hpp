#pragma once
// Data formats of buffers: what lies in memory, and the 32 or 16 bits that a component of it is in registers. Names, sizes
// and the identity of destinations: ISA guide 9.1.2 to 9.1.4 (tables 41 and 43). The guide gives no rule of conversion:
// Direct3D's are taken, a guess ("Data Conversion Rules"): to a normalised integer by adding a half, to a scaled one to
// nearest even, to a narrower float towards zero, all clamped; integers that do not fit are clamped, too. So are these:
// fields lie from bit 0 on, and a name lists them from the top (Mesa, R11G11B10 is 10_11_11, R10G10B10A2 is 2_10_10_10);
// a selected component that the format does not have is 0; a store writes 0 where the register has no component (LLVM,
// feature default-component-zero), and a destination that selects a component is its source.

#include "emulator/isa/vector.hpp"
#include "emulator/memory/fault.hpp"

#include <cstdint>

namespace fmha950::isa::FMHA950_SIMD {

enum class NumberFormat : uint8_t { unorm, snorm, uscaled, sscaled, uint, sint, reserved, floating };

struct BufferFormat {
  static constexpr int most_components = 4;
  uint8_t components = 0, bytes = 0;    // bytes 0: no buffer is bound
  uint8_t bits[most_components] = {};   // of each component, from bit 0 on
  uint8_t select[most_components] = {}; // of each destination: 0, 1, or 4 and its component
  NumberFormat number = NumberFormat::unorm;

  // As in word 3 of a descriptor: destinations in 11:0, number in 14:12, data in 18:15 (machine_gfx950.md section 4.1).
  static constexpr uint32_t fields = 0x7FFFF, identity = 4 | 5 << 3 | 6 << 6 | 7 << 9;
  static BufferFormat of(uint32_t word);
  bool is_integer() const { return number == NumberFormat::uint || number == NumberFormat::sint; }
  bool is_signed() const {
    return number == NumberFormat::snorm || number == NumberFormat::sscaled || number == NumberFormat::sint;
  }
};

inline BufferFormat BufferFormat::of(uint32_t word) {
  struct Fields {
    uint8_t bits[most_components];
  };
  static constexpr Fields data_formats[] = {{{}},
                                            {{8}},
                                            {{16}},
                                            {{8, 8}},
                                            {{32}},
                                            {{16, 16}},
                                            {{11, 11, 10}},
                                            {{10, 11, 11}},
                                            {{2, 10, 10, 10}},
                                            {{10, 10, 10, 2}},
                                            {{8, 8, 8, 8}},
                                            {{32, 32}},
                                            {{16, 16, 16, 16}},
                                            {{32, 32, 32}},
                                            {{32, 32, 32, 32}}};
  constexpr uint32_t reserved_data = 15;
  BufferFormat format;
  format.number = static_cast<NumberFormat>(word >> 12 & 7);
  const uint32_t data = word >> 15 & 15;
  if (data == reserved_data || (data != 0 && format.number == NumberFormat::reserved))
    machine::raise_fault("a buffer's data or number format is reserved");
  int total = 0;
  for (int c = 0; c < most_components; ++c) {
    format.bits[c] = data_formats[data].bits[c];
    format.components += format.bits[c] != 0;
    format.select[c] = word >> 3 * c & 7;
    total += format.bits[c];
  }
  format.bytes = static_cast<uint8_t>(total / 8);
  const bool small = format.bits[0] == 8 || data == 8 || data == 9;
  if (small && format.number == NumberFormat::floating)
    machine::raise_fault("a buffer's format: there is no float of so few bits");
  return format;
}

// --- floats of fewer bits: five of exponent as in f16, a sign or none ---

FMHA950_INLINE float widened_float(uint32_t bits, int mantissa) {
  const uint32_t exponent = bits >> mantissa & 31, fraction = bits & ((1u << mantissa) - 1);
  const uint32_t sign = bits >> (mantissa + 5) << 31;
  if (exponent == 0) { // a multiple of the least denormal, 2^(-14 - mantissa)
    const auto unit = __builtin_bit_cast(float, static_cast<uint32_t>(127 - 14 - mantissa) << 23);
    const auto magnitude = __builtin_bit_cast(uint32_t, static_cast<float>(fraction) * unit);
    return __builtin_bit_cast(float, sign | magnitude);
  }
  const uint32_t wide = exponent == 31 ? 255 : exponent - 15 + 127;
  const uint32_t quiet = exponent == 31 && fraction ? 1u << 22 : 0;
  return __builtin_bit_cast(float, sign | wide << 23 | fraction << (23 - mantissa) | quiet);
}

// Towards zero; what is too large becomes the largest. Without a sign, negative numbers become zero.
FMHA950_INLINE uint32_t narrowed_float(float value, int mantissa, bool has_sign) {
  const auto bits = __builtin_bit_cast(uint32_t, value);
  const uint32_t infinity = 31u << mantissa, exponent = bits >> 23 & 255, fraction = bits & 0x7FFFFF;
  const uint32_t sign = has_sign ? bits >> 31 << (mantissa + 5) : 0;
  if (exponent == 255 && fraction) return sign | infinity | 1u << (mantissa - 1);
  if (!has_sign && bits >> 31) return 0;
  if (exponent == 255) return sign | infinity;
  const int narrow = static_cast<int>(exponent) - 127 + 15;
  if (narrow >= 31) return sign | (infinity - 1);
  if (narrow > 0) return sign | static_cast<uint32_t>(narrow) << mantissa | fraction >> (23 - mantissa);
  const int shift = 23 - mantissa + 1 - narrow;
  return sign | (exponent == 0 || shift > 24 ? 0 : (fraction | 0x800000) >> shift);
}

// --- one component ---

FMHA950_INLINE uint32_t bits_of(float value) { return __builtin_bit_cast(uint32_t, value); }
FMHA950_INLINE float float_of(uint32_t bits) { return __builtin_bit_cast(float, bits); }
FMHA950_INLINE uint32_t low_mask(int bits) { return bits == 32 ? ~0u : (1u << bits) - 1; }
FMHA950_INLINE int32_t extended(uint32_t value, int bits) {
  return static_cast<int32_t>(value << (32 - bits)) >> (32 - bits);
}
FMHA950_INLINE int mantissa_of(int bits) { return bits == 16 ? 10 : bits - 5; }

// 32 bits of a register from a field of memory. Components of 32 bits are not converted (9.1.3).
inline uint32_t loaded_component(const BufferFormat& format, int bits, uint32_t field) {
  if (bits == 32) return field;
  const int32_t value = format.is_signed() ? extended(field, bits) : static_cast<int32_t>(field);
  const auto most = static_cast<float>(low_mask(format.is_signed() ? bits - 1 : bits));
  switch (format.number) {
  case NumberFormat::unorm: return bits_of(static_cast<float>(value) / most);
  case NumberFormat::snorm: {
    const float quotient = static_cast<float>(value) / most;
    return bits_of(quotient < -1 ? -1 : quotient);
  }
  case NumberFormat::uscaled:
  case NumberFormat::sscaled: return bits_of(static_cast<float>(value));
  case NumberFormat::floating: return bits_of(widened_float(field, mantissa_of(bits)));
  default: return static_cast<uint32_t>(value);
  }
}

// A field of memory from 32 bits of a register.
inline uint32_t stored_component(const BufferFormat& format, int bits, uint32_t value) {
  if (bits == 32) return value;
  const uint32_t mask = low_mask(bits);
  const auto most = static_cast<double>(low_mask(format.is_signed() ? bits - 1 : bits));
  const double number = float_of(value) != float_of(value) ? 0.0 : static_cast<double>(float_of(value));
  const auto within = [](double x, double low, double high) { return x < low ? low : x > high ? high : x; };
  switch (format.number) {
  case NumberFormat::unorm: return static_cast<uint32_t>(__builtin_floor(within(number, 0, 1) * most + 0.5));
  case NumberFormat::snorm: {
    const double scaled = within(number, -1, 1) * most;
    return static_cast<uint32_t>(static_cast<int32_t>(scaled + (scaled < 0 ? -0.5 : 0.5))) & mask;
  }
  case NumberFormat::uscaled: return static_cast<uint32_t>(__builtin_roundeven(within(number, 0, most)));
  case NumberFormat::sscaled:
    return static_cast<uint32_t>(static_cast<int32_t>(__builtin_roundeven(within(number, -most - 1, most)))) &
           mask;
  case NumberFormat::floating: return narrowed_float(float_of(value), mantissa_of(bits), bits == 16);
  case NumberFormat::sint:
    return static_cast<uint32_t>(static_cast<int32_t>(within(static_cast<int32_t>(value), -most - 1, most))) &
           mask;
  default: return value > mask ? mask : value;
  }
}

// --- d16: registers hold 16 bits of a component ---

inline uint32_t to_half(const BufferFormat& format, uint32_t value) {
  constexpr int bits = 16;
  if (format.is_integer()) return stored_component(format, bits, value);
  return narrowed_float(float_of(value), mantissa_of(bits), true);
}
inline uint32_t from_half(const BufferFormat& format, uint32_t half) {
  constexpr int bits = 16;
  if (format.is_integer()) return loaded_component(format, bits, half);
  return bits_of(widened_float(half, mantissa_of(bits)));
}

// --- a whole element: four dwords of memory, least significant first ---

inline uint32_t field_of(const uint32_t (&memory)[4], int first, int bits) {
  const uint64_t two = memory[first / 32] | static_cast<uint64_t>(first < 96 ? memory[first / 32 + 1] : 0)
                                                << 32;
  return static_cast<uint32_t>(two >> first % 32) & low_mask(bits);
}

// Destination `channel` of a load.
inline uint32_t loaded_channel(const BufferFormat& format, const uint32_t (&memory)[4], int channel) {
  if (format.bytes == 0) return 0;
  const int select = format.select[channel];
  if (select == 1) return format.is_integer() ? 1 : bits_of(1);
  const int component = select - 4;
  if (component < 0 || component >= format.components) return 0;
  int first = 0;
  for (int c = 0; c < component; ++c) first += format.bits[c];
  const int bits = format.bits[component];
  return loaded_component(format, bits, field_of(memory, first, bits));
}

// What a store of so many registers' components writes.
inline void store_element(const BufferFormat& format, const uint32_t (&registers)[4], int channels,
                          uint32_t (&memory)[4]) {
  for (uint32_t& dword : memory) dword = 0;
  for (int component = 0, first = 0; component < format.components; first += format.bits[component++])
    for (int channel = 0; channel < channels; ++channel)
      if (format.select[channel] == 4 + component) {
        const int bits = format.bits[component];
        const auto field = static_cast<uint64_t>(stored_component(format, bits, registers[channel]))
                           << first % 32;
        memory[first / 32] |= static_cast<uint32_t>(field);
        if (first % 32 + bits > 32) memory[first / 32 + 1] |= static_cast<uint32_t>(field >> 32);
        break;
      }
}

} // namespace fmha950::isa::FMHA950_SIMD
