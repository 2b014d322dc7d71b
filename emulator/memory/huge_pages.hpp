#pragma once
// Huge pages of the host: 2 MiB behind one entry of its TLB instead of 512, which emulated memory and registers miss all
// the time.

#include <cstddef>
#include <sys/mman.h>

namespace fmha950::machine {

inline constexpr size_t huge_page_bytes = size_t{2} << 20;

// Asks for them where they fit into the range. Of a range beyond `most` perhaps few pages are ever touched: it stays as it is.
// That the host refuses changes nothing.
inline void prefer_huge_pages(void* begin, size_t bytes) {
  constexpr size_t most = size_t{256} << 20;
  if (bytes <= most) madvise(begin, bytes, MADV_HUGEPAGE);
}

} // namespace fmha950::machine
