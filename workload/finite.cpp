#include "workload/finite.hpp"

#include "interface/error.hpp"
#include "numerics/threads.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace fmha950::workload {

namespace {

// A code is not finite where all bits of `mask` are set: the exponent, of e4m3fn the mantissa, too.
template <class Code> int64_t first_with_all_of(Code mask, std::span<const Code> codes) {
  constexpr size_t block = 1024; // a loop without a branch inside, which the compiler vectorises
  for (size_t begin = 0; begin < codes.size(); begin += block) {
    const std::span<const Code> part = codes.subspan(begin, std::min(block, codes.size() - begin));
    unsigned found = 0;
    for (const Code code : part) found |= (code & mask) == mask;
    if (found == 0) continue;
    const auto place = std::ranges::find_if(part, [=](Code code) { return (code & mask) == mask; });
    return static_cast<int64_t>(begin) + (place - part.begin());
  }
  return -1;
}

} // namespace

int64_t first_not_finite(const Tensor& tensor, int64_t first, int64_t count) {
  const auto among = [&]<class Code>(Code mask) {
    const auto codes = tensor.as<Code>().subspan(static_cast<size_t>(first), static_cast<size_t>(count));
    const int64_t place = first_with_all_of<Code>(mask, codes);
    return place < 0 ? place : first + place;
  };
  switch (tensor.type()) {
  case ElementType::fp8: return among(uint8_t{0x7F});
  case ElementType::bf16: return among(uint16_t{0x7F80});
  case ElementType::fp16: return among(uint16_t{0x7C00});
  case ElementType::fp32: return among(uint32_t{0x7F800000});
  case ElementType::e8m0: return among(uint8_t{0xFF});
  case ElementType::mxfp4: return -1; // has neither infinity nor NaN
  case ElementType::int32: break;
  }
  throw std::logic_error("integers are finite");
}

int64_t first_not_finite(const Tensor& tensor) {
  constexpr int64_t part = 1 << 20;
  std::vector<int64_t> places(static_cast<size_t>((tensor.elements() + part - 1) / part), -1);
  numerics::parallel_for(std::ssize(places), [&](int64_t i) {
    places[static_cast<size_t>(i)] =
        first_not_finite(tensor, i * part, std::min(part, tensor.elements() - i * part));
  });
  const auto found = std::ranges::find_if(places, [](int64_t place) { return place >= 0; });
  return found == places.end() ? -1 : *found;
}

void refuse_value(const std::string& place, const Tensor& tensor, int64_t index) {
  const float value = tensor.value(index);
  throw InvalidInput(place, std::isnan(value) ? "nan" : fmt::format("{}", value),
                     "must be finite, as it is read");
}

} // namespace fmha950::workload
