#include "emulator/memory/huge_pages.hpp"

#include <cstdint>
#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace fmha950::machine {

void prefer_huge_pages(void* begin, size_t bytes) {
  constexpr size_t most = size_t{256} << 20;
  if (bytes <= most) madvise(begin, bytes, MADV_HUGEPAGE);
}

void GiveBack::operator()(void* memory) const {
  if (mapped > 0)
    munmap(memory, mapped);
  else
    std::free(memory);
}

HostMemory host_memory(size_t bytes) {
  constexpr size_t cache_line = 64;
  const auto whole = [bytes](size_t unit) { return (bytes + unit - 1) / unit * unit; };
  if (bytes < huge_page_bytes / 2) {
    void* const memory = std::aligned_alloc(cache_line, whole(cache_line));
    if (!memory) throw std::bad_alloc();
    return HostMemory(memory);
  }
  const size_t wanted = whole(huge_page_bytes), range = wanted + huge_page_bytes;
  void* const mapping = mmap(nullptr, range, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED) throw std::bad_alloc();
  char* const begin = static_cast<char*>(mapping);
  const size_t before = -reinterpret_cast<uintptr_t>(mapping) % huge_page_bytes;
  if (before > 0) munmap(begin, before);
  munmap(begin + before + wanted, range - before - wanted);
  prefer_huge_pages(begin + before, wanted);
  return HostMemory(begin + before, GiveBack{wanted});
}

} // namespace fmha950::machine
