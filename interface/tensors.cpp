#include "interface/tensors.hpp"

#include "emulator/numerics/formats.hpp"
#include "interface/error.hpp"

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
  const std::byte* element = data() + index * element_bytes(type_);
  const auto code8 = [&] { return *reinterpret_cast<const uint8_t*>(element); };
  const auto code16 = [&] { return *reinterpret_cast<const uint16_t*>(element); };
  switch (type_) {
  case ElementType::bf16: return f32_from_bf16(code16());
  case ElementType::fp16: return f32_from_f16(code16());
  case ElementType::fp8: return f32_from_fp8(code8());
  case ElementType::e8m0: return f32_from_e8m0(code8());
  case ElementType::fp32: return *reinterpret_cast<const float*>(element);
  case ElementType::int32: return static_cast<float>(*reinterpret_cast<const int32_t*>(element));
  }
  return 0;
}

float tensor_descale(const Tensor& descale) {
  // By rank: descales per page of a pool of one page and KV head have one element, too.
  const bool one = descale.type() == ElementType::fp32 && descale.shape() == std::vector<int64_t>{1};
  return one ? descale.as<float>()[0] : 1;
}

int32_t page_of(const Problem& problem, const Tensors& tensors, int request, int token) {
  const int page = token / problem.page_size;
  if (problem.page_table == PageTable::sglang)
    return tensors.kv_page_indices.as<int32_t>()[tensors.kv_indptr.as<int32_t>()[request] + page];
  return tensors.block_table.as<int32_t>()[request * tensors.block_table.shape()[1] + page];
}

std::vector<int32_t> touched_pages(const Problem& problem, const Tensors& tensors) {
  std::vector<bool> touched(tensors.pool_pages());
  for (size_t request = 0; request < problem.requests.size(); ++request)
    for (int token = 0; token < problem.requests[request].key_length; token += problem.page_size)
      touched[page_of(problem, tensors, static_cast<int>(request), token)] = true;
  std::vector<int32_t> pages;
  for (size_t page = 0; page < touched.size(); ++page)
    if (touched[page]) pages.push_back(static_cast<int32_t>(page));
  return pages;
}

int64_t k_index(const Problem& problem, int64_t page, int slot, int head, int column) {
  const int64_t heads = problem.kv_heads, size = problem.page_size, columns = problem.head_dim;
  if (problem.kv_layout == KvLayout::linear) return ((page * size + slot) * heads + head) * columns + column;
  const int x = 16 / element_bytes(problem.kv_type);
  return (((page * heads + head) * (columns / x) + column / x) * size + slot) * x + column % x;
}

int64_t v_index(const Problem& problem, int64_t page, int slot, int head, int column) {
  if (problem.kv_layout == KvLayout::linear) return k_index(problem, page, slot, head, column);
  const int64_t heads = problem.kv_heads, size = problem.page_size, columns = problem.head_dim;
  const int x = 16 / element_bytes(problem.kv_type);
  return (((page * heads + head) * (size / x) + slot / x) * columns + column) * x + slot % x;
}

} // namespace fmha950
