#pragma once
// What buffer formats mean: Direct3D's data conversion rules and the ISA guide's tables 41 to 43 and 48, typed anew.

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

namespace fmha950::test {

enum Number { unorm, snorm, uscaled, sscaled, unsigned_integer, signed_integer, floating = 7 };
inline constexpr Number all_numbers[] = {unorm,          snorm,   uscaled, sscaled, unsigned_integer,
                                         signed_integer, floating};
inline const char* const number_names[] = {"UNORM", "SNORM", "USCALED", "SSCALED",
                                           "UINT",  "SINT",  "",        "FLOAT"};

struct Format {
  const char* name;      // fields from the top
  uint32_t code;         // table 41
  std::vector<int> bits; // of components x, y, z, w: from bit 0 on
};
inline const std::vector<Format> formats = {{"8", 1, {8}},
                                            {"16", 2, {16}},
                                            {"8_8", 3, {8, 8}},
                                            {"32", 4, {32}},
                                            {"16_16", 5, {16, 16}},
                                            {"10_11_11", 6, {11, 11, 10}},
                                            {"11_11_10", 7, {10, 11, 11}},
                                            {"10_10_10_2", 8, {2, 10, 10, 10}},
                                            {"2_10_10_10", 9, {10, 10, 10, 2}},
                                            {"8_8_8_8", 10, {8, 8, 8, 8}},
                                            {"32_32", 11, {32, 32}},
                                            {"16_16_16_16", 12, {16, 16, 16, 16}},
                                            {"32_32_32", 13, {32, 32, 32}},
                                            {"32_32_32_32", 14, {32, 32, 32, 32}}};

inline bool exists(const Format& format,
                   Number number) { // there is no float of 8, 2 or a signless 10 bits beside 2
  return number != floating || (format.bits[0] >= 10 && format.bits.back() > 8 && format.code != 9);
}

// --- the rules ---

inline uint32_t bits_of(float x) { return std::bit_cast<uint32_t>(x); }
inline float float_of(uint32_t x) { return std::bit_cast<float>(x); }
inline _Float16 half_of(uint32_t x) { return std::bit_cast<_Float16>(static_cast<uint16_t>(x)); }
inline uint32_t code_of(_Float16 x) { return std::bit_cast<uint16_t>(x); }

inline int64_t signed_of(uint32_t code, int bits) {
  return code >> (bits - 1) ? int64_t{code} - (int64_t{1} << bits) : int64_t{code};
}

// FLOAT16 and what has fewer fraction bits and no sign: a half without them.
inline float small_float(uint32_t code, int bits) {
  return static_cast<float>(half_of(bits == 16 ? code : code << (15 - bits)));
}

inline uint32_t load_rule(Number number, int bits, uint32_t code) {
  if (bits == 32) return code; // guide 9.1.3: no conversion
  const double most = std::exp2(bits) - 1, most_signed = std::exp2(bits - 1) - 1;
  switch (number) {
  case unorm: return bits_of(static_cast<float>(code / most));
  case snorm:
    return bits_of(
        static_cast<float>(std::max(-1.0, static_cast<double>(signed_of(code, bits)) / most_signed)));
  case uscaled: return bits_of(static_cast<float>(code));
  case sscaled: return bits_of(static_cast<float>(signed_of(code, bits)));
  case unsigned_integer: return code;
  case signed_integer: return static_cast<uint32_t>(signed_of(code, bits));
  case floating: return bits_of(small_float(code, bits));
  }
  return 0;
}

// Towards zero: the nearest half, or the one below.
inline uint32_t half_rule(float x) {
  if (std::isnan(x)) return 0x7E00 | (std::signbit(x) ? 0x8000 : 0);
  if (std::isinf(x)) return code_of(static_cast<_Float16>(x));
  const float least_infinity = 65536;
  if (std::abs(x) >= least_infinity) return 0x7BFF | (std::signbit(x) ? 0x8000 : 0);
  uint32_t code = code_of(static_cast<_Float16>(x));
  if (std::abs(static_cast<float>(half_of(code))) > std::abs(x)) --code;
  return code;
}

inline uint32_t store_rule(Number number, int bits, uint32_t value) {
  if (bits == 32) return value;
  const long double most = std::exp2l(bits) - 1, most_signed = std::exp2l(bits - 1) - 1;
  const float f = float_of(value);
  const long double x = std::isnan(f) ? 0 : static_cast<long double>(f);
  const auto wrapped = [&](long double code) {
    return static_cast<uint32_t>(static_cast<int64_t>(code)) & static_cast<uint32_t>(most);
  };
  switch (number) {
  case unorm: return wrapped(std::floor(std::clamp(x, 0.0L, 1.0L) * most + 0.5L));
  case snorm: return wrapped(std::round(std::clamp(x, -1.0L, 1.0L) * most_signed)); // halves away from zero
  case uscaled: return wrapped(std::nearbyint(std::clamp(x, 0.0L, most)));
  case sscaled: return wrapped(std::nearbyint(std::clamp(x, -most_signed - 1, most_signed)));
  case unsigned_integer: return wrapped(std::min<long double>(value, most));
  case signed_integer:
    return wrapped(std::clamp<long double>(static_cast<int32_t>(value), -most_signed - 1, most_signed));
  case floating: {
    if (bits == 16) return half_rule(f);
    if (std::isnan(f)) return half_rule(std::abs(f)) >> (15 - bits);
    if (f < 0 || std::signbit(f)) return 0;
    return half_rule(f) >> (15 - bits);
  }
  }
  return 0;
}

inline bool is_integer(Number number) { return number == unsigned_integer || number == signed_integer; }
inline uint32_t to_16(Number number, uint32_t value) {
  return is_integer(number) ? store_rule(number, 16, value) : half_rule(float_of(value));
}
inline uint32_t from_16(Number number, uint32_t half) {
  return is_integer(number) ? load_rule(number, 16, half) : bits_of(static_cast<float>(half_of(half)));
}

// --- elements, as bytes of memory ---

using Bytes = std::array<uint8_t, 16>;

inline uint32_t field(const Bytes& bytes, int first, int bits) {
  uint32_t value = 0;
  for (int b = 0; b < bits; ++b)
    value |= static_cast<uint32_t>(bytes[static_cast<size_t>((first + b) / 8)] >> (first + b) % 8 & 1) << b;
  return value;
}
inline void set_field(Bytes& bytes, int first, int bits, uint32_t value) {
  for (int b = 0; b < bits; ++b)
    bytes[static_cast<size_t>((first + b) / 8)] |= static_cast<uint8_t>((value >> b & 1) << (first + b) % 8);
}
inline int first_bit(const Format& format, size_t component) {
  return std::accumulate(format.bits.begin(), format.bits.begin() + static_cast<std::ptrdiff_t>(component),
                         0);
}
inline int bytes_of(const Format& format) { return first_bit(format, format.bits.size()) / 8; }

using Selects = std::array<uint32_t, 4>;
inline constexpr Selects identity = {4, 5, 6, 7};

inline uint32_t channel_of(const Format& format, Number number, const Selects& selects, const Bytes& bytes,
                           size_t channel) {
  if (selects[channel] == 1) return is_integer(number) ? 1 : bits_of(1.0f);
  if (selects[channel] < 4 || selects[channel] - 4 >= format.bits.size()) return 0;
  const size_t component = selects[channel] - 4;
  return load_rule(number, format.bits[component],
                   field(bytes, first_bit(format, component), format.bits[component]));
}

inline Bytes element_of(const Format& format, Number number, const Selects& selects,
                        const std::vector<uint32_t>& channels) {
  Bytes bytes{};
  for (size_t component = 0; component < format.bits.size(); ++component)
    for (size_t channel = 0; channel < channels.size(); ++channel)
      if (selects[channel] == 4 + component) {
        set_field(bytes, first_bit(format, component), format.bits[component],
                  store_rule(number, format.bits[component], channels[channel]));
        break;
      }
  return bytes;
}

} // namespace fmha950::test
