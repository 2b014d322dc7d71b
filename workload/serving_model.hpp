#pragma once
// A serving engine in miniature, to age a page pool: a fixed number of requests is live, the oldest leaves
// when one arrives, and all live ones keep appending pages of decoded tokens while others come and go
// (data/STATS.md section 4).

#include "workload/paged_allocator.hpp"

#include <deque>

namespace fmha950::workload {

struct Prompt {
  int input_length = 0, output_length = 0; // tokens
  std::vector<PageKey> full_page_keys;
};

class ServingModel {
 public:
  ServingModel(int64_t pool_pages, int page_size, int live_requests, FreeOrder order);

  // Admits one request: returns its prompt's pages and how many were cached.
  PagedAllocator::Admission arrive(const Prompt& prompt);

  const PagedAllocator& allocator() const { return allocator_; }
  // Prompt pages of the live requests, oldest first.
  std::vector<std::span<const int32_t>> live_prompts() const;

 private:
  struct Live {
    std::vector<int32_t> pages;
    int prompt_pages = 0;
    int tokens = 0, last_token = 0; // now, and when finished
    int tokens_per_arrival = 0;
  };
  void decode();

  PagedAllocator allocator_;
  int page_size_;
  size_t live_requests_;
  std::deque<Live> live_;
};

// Pages that are live at most while these prompts pass through the model.
int64_t peak_live_pages(std::span<const Prompt> prompts, int page_size, int live_requests);

inline constexpr int usual_live_requests = 64;
inline constexpr double usual_pool_headroom = 1.25; // pool over peak live pages

} // namespace fmha950::workload
