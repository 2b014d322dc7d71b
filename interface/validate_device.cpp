#include "interface/operator.hpp"
#include "interface/validate.hpp"
#include "interface/validate_detail.hpp"

namespace fmha950 {
namespace {

void check_pointer(std::string_view name, const void* pointer, bool required, unsigned alignment) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  if (required && address == 0)
    throw InvalidInput(std::string(name), "null", "must be a device pointer for this problem");
  if (address % alignment != 0)
    throw InvalidInput(std::string(name), fmt::format("{:#x}", address),
                       fmt::format("must be aligned to {} bytes", alignment));
}

// `least`: elements of a page.
void check_page_stride(const Problem& problem, const char* name, int64_t stride, int64_t least) {
  const int64_t step = 128 / element_bits(problem.kv_type);
  if (problem.interleaved) {
    if (stride != 2 * least)
      throw InvalidInput(name, fmt::format("{}", stride),
                         fmt::format("must be {}, two pages' elements, with interleaved=1", 2 * least));
    return;
  }
  if (stride == 0) return;
  if (!problem.strided)
    throw InvalidInput(name, fmt::format("{}", stride), "must be 0 (pages lie together) without strided=1");
  if (stride < least)
    throw InvalidInput(name, fmt::format("{}", stride),
                       fmt::format("must be at least {}, the elements of a page, or 0", least));
  if (stride % step != 0)
    throw InvalidInput(name, fmt::format("{}", stride),
                       fmt::format("must be a multiple of {} elements, 16 bytes", step));
}

// V's pages lie behind K's.
void check_interleaved(const Problem& problem, const DeviceTensors& device) {
  if (!problem.interleaved || device.k_pool == nullptr) return;
  const auto page = static_cast<uint64_t>(stored_bytes(problem.kv_type, problem.page_elements()));
  const auto k = reinterpret_cast<uintptr_t>(device.k_pool), v = reinterpret_cast<uintptr_t>(device.v_pool);
  if (v != k + page)
    throw InvalidInput("v_pool", fmt::format("{:#x}", v),
                       fmt::format("must be {:#x}, a page behind k_pool, with interleaved=1", k + page));
}

// The cache is written to where it is read.
void check_same(const char* name, const void* cache, const char* pool_name, const void* pool) {
  if (cache != pool)
    throw InvalidInput(name, fmt::format("{:#x}", reinterpret_cast<uintptr_t>(cache)),
                       fmt::format("must be {}, {:#x}", pool_name, reinterpret_cast<uintptr_t>(pool)));
}

} // namespace

void validate_device_tensors(const Problem& problem, const DeviceTensors& device) {
  const OperatorFacts& facts = problem.op->facts();
  for (const TensorEntry& entry : facts.tensors)
    if (const DevicePlace& at = entry.device; at.get != nullptr)
      check_pointer(entry.text(), at.get(device), at.needed(problem), at.alignment(problem));
  const bool queries = problem.total_queries() > 0;
  check_pointer("output", device.output, queries, 16);
  check_pointer("lse", device.lse, problem.lse && queries, 4);
  if (facts.appends) {
    check_same("k_cache", device.k_cache, "k_pool", device.k_pool);
    check_same("v_cache", device.v_cache, "v_pool", device.v_pool);
  }
  check_page_stride(problem, "k_page_stride", device.k_page_stride, problem.page_elements());
  check_page_stride(problem, "v_page_stride", device.v_page_stride, problem.value_page_elements());
  check_interleaved(problem, device);
}

} // namespace fmha950
