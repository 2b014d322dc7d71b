#include "tests/support/elements.hpp"

#include <cmath>
#include <cstring>

namespace fmha950::test {

double decode(ElementType type, const std::byte* element) {
  if (type == ElementType::fp8) { // OCP OFP8 v1.0: e4m3, bias 7
    const int code = std::to_integer<int>(*element), exponent = code >> 3 & 15, mantissa = code & 7;
    const double magnitude =
        exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
    return (code & 127) == 127 ? std::nan("") : code & 128 ? -magnitude : magnitude;
  }
  if (type == ElementType::fp16) {
    _Float16 half;
    std::memcpy(&half, element, 2);
    return static_cast<double>(half);
  }
  uint16_t upper;
  std::memcpy(&upper, element, 2);
  const uint32_t bits = uint32_t(upper) << 16;
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

namespace {

// OCP MX v1.0, table 5: e2m1; the first of two in the lower half of their byte.
double put_random_e2m1(std::byte* pair, bool second, std::mt19937& random) {
  constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  const unsigned code = random() % 16, shift = second ? 4 : 0;
  *pair = (*pair & ~(std::byte{0x0F} << shift)) | std::byte(code << shift);
  return code < 8 ? magnitudes[code] : -magnitudes[code - 8];
}

} // namespace

double put_random(Tensor& tensor, int64_t index, std::mt19937& random) {
  if (tensor.type() == ElementType::mxfp4)
    return put_random_e2m1(tensor.data() + index / 2, index % 2 != 0, random);
  std::byte* element = tensor.data() + index * element_bytes(tensor.type());
  const float value = std::normal_distribution<float>()(random);
  if (tensor.type() == ElementType::fp8) {
    // Up to 4.0 in magnitude, with subnormals.
    const uint8_t code = uint8_t((random() & 1) << 7 | (random() % 0x48));
    std::memcpy(element, &code, 1);
  } else if (tensor.type() == ElementType::fp16) {
    const _Float16 half = static_cast<_Float16>(value);
    std::memcpy(element, &half, 2);
  } else {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    const uint16_t upper = uint16_t(bits >> 16);
    std::memcpy(element, &upper, 2);
  }
  return decode(tensor.type(), element);
}

void poison(Tensor& tensor) {
  if (!tensor.empty()) std::memset(tensor.data(), 0xFF, tensor.bytes());
}

int below(std::mt19937& random, int limit) {
  return static_cast<int>(random() % static_cast<unsigned>(limit));
}

} // namespace fmha950::test
