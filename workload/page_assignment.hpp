#pragma once
// Which page of the pool holds which tokens: sharing of prefixes (from a trace) and the order of pages.

#include "interface/problem.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace fmha950::workload {

// One page of the pool in use. Its values are those of its owner, the first request that names it. A page
// that holds values although no request names it has request -1 and first_token page * page_size.
struct PageUse {
  int32_t page = 0;
  int request = 0;
  int first_token = 0;
  int tokens = 0; // filled slots, the rest of the page is unused
};

struct PageAssignment {
  int64_t pool_pages = 0;
  std::vector<std::vector<int32_t>> of_request; // page ids in token order
  std::vector<PageUse> used;                    // each used page once, ascending by page id
};

// With paged=0 the pages are consecutive from page 0 on, request after request, and no two requests share
// one; spare pages lie behind. Otherwise by page_order: `shuffled`: a seeded permutation of the whole pool,
// spare pages in between. `sequential`: ascending from page 0, spare pages behind. `lru`: what the paged
// allocator hands out after a warm-up (paged_allocator.hpp); the pool is as large as the allocator's, at
// least the used pages plus problem.spare_pages.
PageAssignment assign_pages(const Problem& problem);

// The pages that the caller chose for each request, in a pool of `pool_pages`. A page may be named more than
// once, by one request or by several. Throws InvalidInput for an id outside the pool and for a list that is
// shorter or longer than its request.
PageAssignment assign_given_pages(const Problem& problem, std::vector<std::vector<int32_t>> of_request,
                                  int64_t pool_pages);

// Fills these pages with values, too, although no request names them
// (those that one names are left as they are).
void fill_unnamed_pages(const Problem& problem, std::span<const int32_t> unnamed, PageAssignment& pages);

} // namespace fmha950::workload
