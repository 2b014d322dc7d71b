#pragma once
// Of ratios, over cases.

#include <algorithm>
#include <cmath>

namespace fmha950::harness {

class GeometricMean {
 public:
  void add(double ratio) {
    logarithms_ += std::log(ratio);
    least_ = count_ == 0 ? ratio : std::min(least_, ratio);
    ++count_;
  }
  double value() const { return std::exp(logarithms_ / count_); } // of one ratio at least
  double least() const { return least_; }
  int count() const { return count_; }

 private:
  double logarithms_ = 0, least_ = 0;
  int count_ = 0;
};

} // namespace fmha950::harness
