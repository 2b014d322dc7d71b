#include "emulator/hip/memory_digest.hpp"

#include "emulator/memory/address_space.hpp"
#include "numerics/digest.hpp"

#include <algorithm>
#include <fcntl.h>
#include <span>
#include <unistd.h>
#include <vector>

namespace fmha950::hip {
namespace {

constexpr uint64_t page_bytes = 4096;

// Whether there is something behind each page from the first on; all of them where the kernel does not say.
std::vector<bool> touched(int pagemap, uint64_t first, uint64_t count) {
  constexpr uint64_t present = uint64_t{1} << 63, swapped = uint64_t{1} << 62;
  std::vector<uint64_t> entries(count, present);
  const auto at = static_cast<off_t>(first / page_bytes * sizeof(uint64_t));
  const ssize_t bytes = pread(pagemap, entries.data(), count * sizeof(uint64_t), at);
  std::vector<bool> is_touched(count, true);
  for (size_t i = 0; bytes > 0 && i < static_cast<size_t>(bytes) / sizeof(uint64_t); ++i)
    is_touched[i] = (entries[i] & (present | swapped)) != 0;
  return is_touched;
}

void add(numerics::Digest& digest, const machine::Extent& extent, int pagemap) {
  const uint64_t first = extent.begin / page_bytes * page_bytes;
  constexpr uint64_t most = 1 << 16; // pages at a time
  for (uint64_t begin = first; begin < extent.end; begin += most * page_bytes) {
    const uint64_t count = std::min(most, (extent.end - begin + page_bytes - 1) / page_bytes);
    const std::vector<bool> is_touched = touched(pagemap, begin, count);
    for (uint64_t i = 0; i < count; ++i) {
      if (!is_touched[i]) continue;
      const uint64_t from = std::max(begin + i * page_bytes, extent.begin),
                     to = std::min(begin + (i + 1) * page_bytes, extent.end);
      const std::span bytes(reinterpret_cast<const std::byte*>(from), to - from);
      if (std::ranges::all_of(bytes, [](std::byte each) { return each == std::byte{0}; })) continue;
      digest.add(fmt::format("{:x}", from));
      digest.add(bytes);
    }
  }
}

} // namespace

std::string digest_of_memory() {
  const int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  numerics::Digest digest;
  for (const machine::Extent& extent : machine::AddressSpace::device().live()) add(digest, extent, pagemap);
  close(pagemap);
  return digest.text();
}

} // namespace fmha950::hip
