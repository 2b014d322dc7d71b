#pragma once
// How many times as fast one implementation is as another, over the cases of both.

#include "harness/output/geometric_mean.hpp"

#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>

namespace fmha950::harness {

class SpeedRatios {
 public:
  void add(const std::string& name, const std::string& other, double ratio) {
    ratios_[{name, other}].add(ratio);
  }
  void print(std::FILE* out, const char* what) const {
    for (const auto& [names, ratio] : ratios_)
      fmt::print(out, "{} / {}, {}: geometric mean {:.3f}, least {:.3f}, of {} cases\n", names.first,
                 names.second, what, ratio.value(), ratio.least(), ratio.count());
  }

 private:
  std::map<std::pair<std::string, std::string>, GeometricMean> ratios_;
};

} // namespace fmha950::harness
