#include "interface/problem.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace fmha950 {

int element_bits(ElementType type) {
  switch (type) {
  case ElementType::fp32:
  case ElementType::int32: return 32;
  case ElementType::bf16:
  case ElementType::fp16: return 16;
  case ElementType::fp8:
  case ElementType::e8m0: return 8;
  case ElementType::mxfp4: return 4;
  }
  return 0;
}

int element_bytes(ElementType type) {
  if (element_bits(type) % 8 != 0) throw std::logic_error("an element has no whole bytes");
  return element_bits(type) / 8;
}

int64_t stored_bytes(ElementType type, int64_t elements) { return (elements * element_bits(type) + 7) / 8; }

float Problem::softmax_scale() const {
  return scale.value_or(1.0f / std::sqrt(static_cast<float>(head_dim)));
}

int64_t Problem::total_queries() const {
  int64_t total = 0;
  for (const Request& request : requests) total += request.query_length;
  return total;
}

int Problem::max_query_length() const {
  int longest = 0;
  for (const Request& request : requests) longest = std::max(longest, request.query_length);
  return longest;
}

int Problem::max_key_length() const {
  int longest = 0;
  for (const Request& request : requests) longest = std::max(longest, request.key_length);
  return longest;
}

} // namespace fmha950
