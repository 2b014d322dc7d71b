#include "attention/host/page_table.hpp"

#include "interface/error.hpp"

#include <bit>
#include <fmt/format.h>
#include <limits>

namespace fmha950::attention {

std::vector<int32_t> table_begins(const Problem& problem, const Tensors& host) {
  const size_t requests = problem.requests.size();
  if (problem.page_table == PageTable::sglang) {
    const auto indptr = host.kv_indptr.as<int32_t>();
    return {indptr.begin(), indptr.begin() + static_cast<std::ptrdiff_t>(requests)};
  }
  const int64_t columns = host.block_table.shape()[1];
  if (columns * static_cast<int64_t>(requests) > std::numeric_limits<int32_t>::max())
    throw InvalidInput("block_table", fmt::format("[{}, {}]", requests, columns),
                       "must have less than 2^31 entries");
  std::vector<int32_t> begins(requests);
  for (size_t r = 0; r < requests; ++r) begins[r] = static_cast<int32_t>(static_cast<int64_t>(r) * columns);
  return begins;
}

const int32_t* device_table(const Problem& problem, const DeviceTensors& device) {
  return problem.page_table == PageTable::sglang ? device.kv_page_indices : device.block_table;
}

uint32_t page_shift(const Problem& problem) {
  return static_cast<uint32_t>(std::countr_zero(static_cast<unsigned>(problem.page_size)));
}

bool has_block_pages(const Problem& problem) {
  return !std::has_single_bit(static_cast<unsigned>(problem.page_size));
}

PageBlocks page_blocks(const Problem& problem) {
  const uint32_t shift = page_shift(problem), page_size = static_cast<uint32_t>(problem.page_size);
  const uint64_t blocks = page_size >> shift;
  return {.page_size = page_size,
          .shift = shift,
          .reciprocal = static_cast<uint32_t>(((uint64_t(1) << 32) + blocks - 1) / blocks)};
}

} // namespace fmha950::attention
