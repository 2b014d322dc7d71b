#pragma once
// Huge pages of the host: 2 MiB behind one entry of its TLB instead of 512, which emulated memory and registers miss all
// the time.

#include <cstddef>
#include <memory>

namespace fmha950::machine {

inline constexpr size_t huge_page_bytes = size_t{2} << 20;

// Asks for them where they fit into the range. Of a range beyond 256 MiB perhaps few pages are ever touched: it stays as it is.
// That the host refuses changes nothing.
void prefer_huge_pages(void* begin, size_t bytes);

struct GiveBack {
  size_t mapped = 0; // bytes; 0: from the heap
  void operator()(void* memory) const;
};
using HostMemory = std::unique_ptr<void, GiveBack>;

// Half a huge page or more is mapped in whole ones. It is not from the heap, because one that is asked for aligned memory again and
// again, by threads that come and go, keeps the gaps between. Less begins at a cache line. Throws std::bad_alloc.
HostMemory host_memory(size_t bytes);

} // namespace fmha950::machine
