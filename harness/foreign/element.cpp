#include "harness/foreign/element.hpp"

#include "interface/error.hpp"
#include "numerics/formats.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace fmha950::harness {

namespace {

using enum Element;

constexpr std::array<ElementFacts, 16> table{{
    {boolean, "bool", "b8", "BOOL", "|b1", 1, true},
    {int8, "int8", "i8", "I8", "|i1", 1, true},
    {uint8, "uint8", "u8", "U8", "|u1", 1, true},
    {int16, "int16", "i16", "I16", "<i2", 2, true},
    {uint16, "uint16", "u16", "U16", "<u2", 2, true},
    {int32, "int32", "i32", "I32", "<i4", 4, true},
    {uint32, "uint32", "u32", "U32", "<u4", 4, true},
    {int64, "int64", "i64", "I64", "<i8", 8, true},
    {uint64, "uint64", "u64", "U64", "<u8", 8, true},
    {float8_e4m3, "float8_e4m3fn", "fp8", "F8_E4M3", "|V1", 1, false},
    {float8_e5m2, "float8_e5m2", "bf8", "F8_E5M2", "|V1", 1, false},
    {e8m0, "float8_e8m0fnu", "e8m0", "F8_E8M0", "|V1", 1, false},
    {float16, "float16", "f16", "F16", "<f2", 2, false},
    {bfloat16, "bfloat16", "bf16", "BF16", "<V2", 2, false},
    {float32, "float32", "f32", "F32", "<f4", 4, false},
    {float64, "float64", "f64", "F64", "<f8", 8, false},
}};

template <class T> T read(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T> std::vector<std::byte> bytes_of(T value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

struct Integer {
  bool negative = false;
  uint64_t magnitude = 0;
};

std::optional<Integer> integer_of(std::string_view text) {
  Integer integer;
  if (text.starts_with('-') || text.starts_with('+')) {
    integer.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, integer.magnitude, hexadecimal ? 16 : 10);
  if (text.empty() || error != std::errc() || stopped != end) return std::nullopt;
  return integer;
}

std::optional<double> real_of(const std::string& text) {
  if (text.empty() || std::isspace(static_cast<unsigned char>(text.front()))) return std::nullopt;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  return end == text.c_str() + text.size() ? std::optional(value) : std::nullopt;
}

std::vector<std::byte> integer_bytes(const std::string& field, const std::string& number,
                                     const ElementFacts& facts) {
  const bool is_signed = facts.name[0] == 'i';
  const unsigned bits = facts.element == boolean ? 1 : 8 * static_cast<unsigned>(facts.bytes);
  const uint64_t most = std::numeric_limits<uint64_t>::max() >> (64 - bits) >> (is_signed ? 1 : 0);
  const auto integer = integer_of(number);
  if (!integer || integer->magnitude > most + (is_signed && integer->negative ? 1 : 0) ||
      (!is_signed && integer->negative && integer->magnitude > 0))
    throw InvalidInput(field, number,
                       fmt::format("must be an integer from {} to {} ({})",
                                   is_signed ? fmt::format("-{}", most + 1) : "0", most, facts.name));
  std::vector<std::byte> bytes = bytes_of(integer->negative ? -integer->magnitude : integer->magnitude);
  bytes.resize(facts.bytes);
  return bytes;
}

std::vector<std::byte> real_bytes(double value, Element element) {
  const auto single = static_cast<float>(value);
  switch (element) {
  case float8_e4m3: return bytes_of(numerics::fp8_from_f32(single, false));
  case float8_e5m2: return bytes_of(numerics::bf8_from_f32(single, false));
  case e8m0: return bytes_of(numerics::e8m0_floor_from_f32(single));
  case float16: return bytes_of(numerics::f16_from_f32(single));
  case bfloat16: return bytes_of(numerics::bf16_from_f32(single));
  case float32: return bytes_of(single);
  default: return bytes_of(value);
  }
}

} // namespace

const ElementFacts& facts_of(Element element) { return table[static_cast<size_t>(element)]; }

std::optional<Element> element_named(std::string_view name) {
  const auto found = std::ranges::find_if(
      table, [&](const ElementFacts& facts) { return name == facts.name || name == facts.short_name; });
  return found == table.end() ? std::nullopt : std::optional(found->element);
}

std::string element_names() {
  std::string names;
  for (const ElementFacts& facts : table) names += (names.empty() ? "" : ", ") + std::string(facts.name);
  return names;
}

double value_of(Element element, const std::byte* bytes) {
  switch (element) {
  case boolean:
  case uint8: return read<uint8_t>(bytes);
  case int8: return read<int8_t>(bytes);
  case int16: return read<int16_t>(bytes);
  case uint16: return read<uint16_t>(bytes);
  case int32: return read<int32_t>(bytes);
  case uint32: return read<uint32_t>(bytes);
  case int64: return static_cast<double>(read<int64_t>(bytes));
  case uint64: return static_cast<double>(read<uint64_t>(bytes));
  case float8_e4m3: return numerics::f32_from_fp8(read<uint8_t>(bytes));
  case float8_e5m2: return numerics::f32_from_bf8(read<uint8_t>(bytes));
  case e8m0: return numerics::f32_from_e8m0(read<uint8_t>(bytes));
  case float16: return numerics::f32_from_f16(read<uint16_t>(bytes));
  case bfloat16: return numerics::f32_from_bf16(read<uint16_t>(bytes));
  case float32: return read<float>(bytes);
  case float64: return read<double>(bytes);
  }
  return 0;
}

std::vector<std::byte> encoded(const std::string& field, const std::string& number, Element element) {
  const ElementFacts& facts = facts_of(element);
  if (facts.integer) return integer_bytes(field, number, facts);
  const auto value = real_of(number);
  if (!value)
    throw InvalidInput(field, number, fmt::format("must be a number: 42, 0.5, 1e-3, inf ({})", facts.name));
  std::vector<std::byte> bytes = real_bytes(*value, element);
  if (element == e8m0 && *value <= 0) throw InvalidInput(field, number, "must be above 0: e8m0 has no sign");
  if (std::isfinite(*value) && !std::isfinite(value_of(element, bytes.data())))
    throw InvalidInput(field, number, fmt::format("is beyond the range of {}", facts.name));
  const bool has_digits =
      number.substr(0, number.find_first_of("eEpP")).find_first_of("123456789") != number.npos;
  if (has_digits && value_of(element, bytes.data()) == 0)
    throw InvalidInput(field, number, fmt::format("is too small for {}: it would become 0", facts.name));
  return bytes;
}

bool is_integer(std::string_view text) { return integer_of(text).has_value(); }
bool is_real(const std::string& text) { return real_of(text).has_value(); }

} // namespace fmha950::harness
