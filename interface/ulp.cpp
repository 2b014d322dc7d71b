#include "interface/ulp.hpp"

#include "interface/error.hpp"
#include "interface/names.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950 {

double ulp(ElementType type, double magnitude) {
  int digits = 0, min_exponent = 0; // of the significand with its hidden bit; of the smallest normal number
  switch (type) {
  case ElementType::bf16: digits = 8, min_exponent = -126; break;
  case ElementType::fp16: digits = 11, min_exponent = -14; break;
  case ElementType::fp32: digits = 24, min_exponent = -126; break;
  case ElementType::fp8: digits = 4, min_exponent = -6; break;
  default: throw InvalidInput("type", std::string(name_of(type)), "must be a floating type");
  }
  const int exponent = magnitude == 0 ? min_exponent : std::max(std::ilogb(magnitude), min_exponent);
  return std::ldexp(1.0, exponent - digits + 1);
}

} // namespace fmha950
