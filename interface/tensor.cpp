#include "interface/tensor.hpp"

#include "interface/error.hpp"
#include "numerics/formats.hpp"
#include "numerics/fp4_pair.hpp"

#include <fmt/ranges.h>
#include <limits>
#include <sys/mman.h>

namespace fmha950 {

Tensor::Tensor(ElementType type, std::vector<int64_t> shape) : type_(type), shape_(std::move(shape)) {
  constexpr int64_t limit = std::numeric_limits<int64_t>::max() / 8;
  int64_t elements = 1;
  for (int64_t extent : shape_) {
    if (extent < 0 || (extent > 0 && elements > limit / extent))
      throw InvalidInput("shape", fmt::format("[{}]", fmt::join(shape_, ", ")),
                         "extents must be >= 0 and their product must fit 60 bits");
    elements *= extent;
  }
  elements_ = elements;
  if (elements == 0) return;
  const size_t size = bytes();
  void* mapped =
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    throw InvalidInput("shape", fmt::format("[{}]", fmt::join(shape_, ", ")),
                       fmt::format("the host cannot map the {} bytes it needs", size));
  storage_ = {static_cast<std::byte*>(mapped), [size](std::byte* pointer) { munmap(pointer, size); }};
}

float Tensor::value(int64_t index) const {
  using namespace numerics;
  const std::byte* element = data() + index * element_bits(type_) / 8;
  const auto code8 = [&] { return *reinterpret_cast<const uint8_t*>(element); };
  const auto code16 = [&] { return *reinterpret_cast<const uint16_t*>(element); };
  switch (type_) {
  case ElementType::bf16: return f32_from_bf16(code16());
  case ElementType::fp16: return f32_from_f16(code16());
  case ElementType::fp8: return f32_from_fp8(code8());
  case ElementType::e8m0: return f32_from_e8m0(code8());
  case ElementType::mxfp4: return f32_from_fp4(fp4_code(code8(), index));
  case ElementType::fp32: return *reinterpret_cast<const float*>(element);
  case ElementType::int32: return static_cast<float>(*reinterpret_cast<const int32_t*>(element));
  }
  return 0;
}

} // namespace fmha950
