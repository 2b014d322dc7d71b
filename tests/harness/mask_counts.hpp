#pragma once
// How often a case list has each of what a form of the cache meets beside the usual mask.

#include "interface/problem.hpp"

#include <algorithm>
#include <cstddef>

namespace fmha950::test {

struct MaskCounts {
  size_t windows = 0, sinks = 0, logits = 0, capped = 0, consecutive = 0;

  void add(const Problem& p) {
    windows += p.window.has_value();
    sinks += p.sink_tokens > 0;
    logits += p.sink_logit;
    capped += p.soft_cap != 0;
    consecutive += !p.paged;
  }
  size_t least() const { return std::min({windows, sinks, logits, capped, consecutive}); }
};

} // namespace fmha950::test
