#include "harness/device/output_poison.hpp"

#include <cstring>

namespace fmha950::harness {

namespace {

uint32_t pattern(ElementType type) {
  switch (type) {
  case ElementType::bf16: return 0x7FA5;
  case ElementType::fp16: return 0x7DA5;
  default: return 0x7FA5A5A5; // fp32
  }
}

} // namespace

std::vector<std::byte> output_poison(ElementType type, size_t elements) {
  const uint32_t bits = pattern(type); // the host is little-endian, as the device is
  const auto size = static_cast<size_t>(element_bytes(type));
  std::vector<std::byte> bytes(elements * size);
  for (size_t i = 0; i < elements; ++i) std::memcpy(bytes.data() + i * size, &bits, size);
  return bytes;
}

bool is_output_poison(ElementType type, const std::byte* element) {
  const uint32_t bits = pattern(type);
  return std::memcmp(element, &bits, static_cast<size_t>(element_bytes(type))) == 0;
}

} // namespace fmha950::harness
