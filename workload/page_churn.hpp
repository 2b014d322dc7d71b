#pragma once
// Page tables of a batch as a pool hands them out that has been in use for a while.

#include "interface/problem.hpp"

#include <cstdint>
#include <vector>

namespace fmha950::workload {

struct ChurnedPages {
  int64_t pool_pages = 0;
  std::vector<std::vector<int32_t>> of_request;
};

// Warms the serving model up with the requests that precede the slice in its trace (from the trace's end when
// the slice starts it), then admits the batch, all of it live at once; pages are freed last page first, as
// vLLM does. Without a trace the warm-up consists of requests with the problem's own lengths in seeded order,
// an eighth of each decoded.
ChurnedPages churn(const Problem& problem);

} // namespace fmha950::workload
