#include "workload/paged_allocator.hpp"

#include "interface/error.hpp"

#include <ranges>

namespace fmha950::workload {

PagedAllocator::PagedAllocator(int64_t pages, FreeOrder order) : order_(order), pages_(pages) {
  for (int64_t page = 0; page < pages; ++page) enqueue(static_cast<int32_t>(page));
}

PagedAllocator::Admission PagedAllocator::admit(std::span<const PageKey> full_page_keys, int pages) {
  Admission result;
  for (PageKey key : full_page_keys) {
    const auto hit = cache_.find(key);
    if (hit == cache_.end()) break;
    hold(hit->second);
    result.pages.push_back(hit->second);
  }
  result.cached = static_cast<int>(result.pages.size());
  for (int i = result.cached; i < pages; ++i) {
    const int32_t page = take();
    result.pages.push_back(page);
    if (static_cast<size_t>(i) >= full_page_keys.size()) continue;
    // A later page of a prefix may still be cached behind an evicted one: the fresh copy replaces it.
    const auto [place, fresh] = cache_.try_emplace(full_page_keys[i], page);
    if (!fresh) {
      pages_[place->second].cached = false;
      place->second = page;
    }
    pages_[page].cached = true;
    pages_[page].key = full_page_keys[i];
  }
  return result;
}

int32_t PagedAllocator::append() { return take(); }

void PagedAllocator::release(std::span<const int32_t> pages) {
  const auto drop = [this](int32_t page) {
    if (--pages_[page].references > 0) return;
    --live_;
    enqueue(page);
  };
  if (order_ == FreeOrder::head_first) {
    for (int32_t page : pages) drop(page);
  } else {
    for (int32_t page : pages | std::views::reverse) drop(page);
  }
}

int32_t PagedAllocator::take() {
  if (head_ == none)
    throw InvalidInput("page pool", std::to_string(pages_.size()) + " pages", "all are in use, none is left");
  const int32_t page = head_;
  if (pages_[page].cached) cache_.erase(pages_[page].key);
  pages_[page].cached = false;
  hold(page);
  return page;
}

void PagedAllocator::hold(int32_t page) {
  if (pages_[page].references++ > 0) return;
  ++live_;
  unlink(page);
}

void PagedAllocator::enqueue(int32_t page) {
  pages_[page].previous = tail_;
  pages_[page].next = none;
  (tail_ == none ? head_ : pages_[tail_].next) = page;
  tail_ = page;
}

void PagedAllocator::unlink(int32_t page) {
  const auto [previous, next] = std::pair(pages_[page].previous, pages_[page].next);
  (previous == none ? head_ : pages_[previous].next) = next;
  (next == none ? tail_ : pages_[next].previous) = previous;
}

} // namespace fmha950::workload
