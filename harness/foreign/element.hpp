#pragma once
// Types of elements and scalars of kernels that others wrote: more than the product's own tensors have.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::harness {

enum class Element : uint8_t {
  boolean,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float8_e4m3, // the OCP form, as gfx950 has it
  float8_e5m2,
  e8m0,
  float16,
  bfloat16,
  float32,
  float64
};

struct ElementFacts {
  Element element;
  const char* name;        // as NumPy and PyTorch say it, and as errors do
  const char* short_name;  // accepted too
  const char* safetensors; // dtype there
  const char* npy;         // descriptor that is written
  size_t bytes;
  bool integer;
};

inline constexpr size_t pointer_bytes = 8;

// The next offset that is a multiple: where C puts a field.
inline size_t aligned(size_t offset, size_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

const ElementFacts& facts_of(Element element);
std::optional<Element> element_named(std::string_view name); // by either name
std::string element_names();                                 // all, for errors

double value_of(Element element, const std::byte* bytes);

// The bytes of a number: 42, -1, 0x10, 0.5, 1e-3, inf, nan. Throws InvalidInput, which calls it `field`, for what is no
// number or does not fit the type.
std::vector<std::byte> encoded(const std::string& field, const std::string& number, Element element);

bool is_integer(std::string_view text); // such as 42, -1, 0x10
bool is_real(const std::string& text);  // those too

} // namespace fmha950::harness
