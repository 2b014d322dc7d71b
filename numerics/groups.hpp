#pragma once
// Numbers that belong together, found by joining two at a time.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace fmha950::numerics {

// The first of a group stands for it.
class Groups {
 public:
  explicit Groups(size_t count) : first_(count) { std::iota(first_.begin(), first_.end(), size_t{0}); }
  size_t of(size_t i) {
    while (first_[i] != i) i = first_[i] = first_[first_[i]];
    return i;
  }
  void join(size_t a, size_t b) {
    a = of(a);
    b = of(b);
    first_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<size_t> first_;
};

} // namespace fmha950::numerics
