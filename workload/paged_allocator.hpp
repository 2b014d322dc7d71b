#pragma once
// A model of a serving engine's KV page allocator: reference-counted pages, a prefix cache of full pages, and
// one LRU queue of free pages from whose head pages are taken. A free page keeps its content until it is
// taken, and a prefix hit takes it out of the queue again (the model of data/STATS.md section 4).

#include "workload/trace.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace fmha950::workload {

// Which page of a finished request enters the queue first: the last (vLLM) or the first.
enum class FreeOrder : uint8_t { tail_first, head_first };

class PagedAllocator {
 public:
  PagedAllocator(int64_t pages, FreeOrder order);

  struct Admission {
    std::vector<int32_t> pages;
    int cached = 0; // leading pages that were hits
  };
  // A prompt of `pages` pages whose first pages, the full ones, have these keys. Throws InvalidInput when the
  // pool is exhausted.
  Admission admit(std::span<const PageKey> full_page_keys, int pages);

  int32_t append(); // one page for decoded tokens, never shared
  void release(std::span<const int32_t> pages);

  int references(int32_t page) const { return pages_[page].references; }
  int64_t live_pages() const { return live_; }

 private:
  static constexpr int32_t none = -1;
  struct Page {
    int32_t previous = none, next = none; // in the free queue
    int references = 0;
    bool cached = false;
    PageKey key = 0;
  };
  int32_t take();          // from the head of the queue, evicting its content
  void hold(int32_t page); // one more reference
  void enqueue(int32_t page);
  void unlink(int32_t page);

  FreeOrder order_;
  std::vector<Page> pages_;
  int32_t head_ = none, tail_ = none;
  int64_t live_ = 0;
  std::unordered_map<PageKey, int32_t> cache_;
};

} // namespace fmha950::workload
