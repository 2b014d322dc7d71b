#pragma once
// The median of some numbers; of an even number of them the mean of the two in the middle.

#include <algorithm>
#include <vector>

namespace fmha950::numerics {

inline double median(std::vector<double> values) { // at least one
  std::ranges::sort(values);
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

} // namespace fmha950::numerics
