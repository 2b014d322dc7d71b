#pragma once
// The largest of what many threads look at.

#include "numerics/threads.hpp"

#include <cmath>
#include <numeric>
#include <vector>

namespace fmha950::workload {

// The largest of largest_in(i) for i in [0, count).
template <class LargestIn> double largest_of(size_t count, const LargestIn& largest_in) {
  std::vector<double> largest(count, 0);
  numerics::parallel_for(static_cast<int64_t>(count), [&](int64_t i) {
    largest[static_cast<size_t>(i)] = largest_in(static_cast<size_t>(i));
  });
  return std::accumulate(largest.begin(), largest.end(), 0.0,
                         [](double a, double b) { return std::fmax(a, b); });
}

} // namespace fmha950::workload
